/** The frame of all pages that an organization shows to anybody. */
import type { Look } from '../../../../jmap/bookings/public-page.ts'
import { type Html, html } from '../../html.ts'
import { accentPath, SCRIPT, STYLE } from '../assets.ts'
import { logoPath } from '../logo-path.ts'

export interface Framed {
  /** RFC 5646. */
  readonly language: string
  readonly title: string
  /** null: it is not known. */
  readonly organization: Look | null
  readonly isEmbedded?: boolean
  /** The script of booking pages. */
  readonly hasScript?: boolean
  /** Whether search engines may show it. */
  readonly isListed?: boolean
  /** Path of an RSS feed. */
  readonly feed?: string
  readonly body: Html
}

export function layout(framed: Framed): string {
  const { language, title, organization, isEmbedded = false, hasScript = false, isListed = false, feed, body } = framed
  const accent = organization?.accentColor ?? null
  const page = html`<!doctype html>
<html lang="${language}"${isEmbedded && html` class="embedded"`}>
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
${!isListed && html`<meta name="robots" content="noindex">`}${feed !== undefined && html`<link rel="alternate" type="application/rss+xml" href="${feed}">`}
<title>${title}${organization !== null && ` – ${organization.name}`}</title>
<link rel="stylesheet" href="${STYLE.path}">${
    accent &&
    html`
<link rel="stylesheet" href="${accentPath(accent)}">`
  }${
    hasScript &&
    html`
<script type="module" src="${SCRIPT.path}"></script>`
  }
</head>
<body>
<main id="main" tabindex="-1">
${organization !== null && html`<p class="organization">${logoOf(organization)}${organization.name}</p>`}
${body}
</main>
</body>
</html>
`
  return page.text
}

/** The name stands beside it, so that it needs no text of its own. */
function logoOf({ slug, logo }: Look): Html | false {
  if (logo === null) return false
  const { tag, width, height } = logo
  return html`<img src="${logoPath(slug, tag)}" alt="" width="${width}" height="${height}"> `
}

/** A page with nothing but a message. */
export function message(title: string, ...paragraphs: readonly (string | Html)[]): Html {
  return html`<section class="card message">
<h1>${title}</h1>
${paragraphs.map((paragraph) => html`<p>${paragraph}</p>`)}
</section>`
}

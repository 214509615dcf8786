/** The frame of all booking pages. */
import type { Look } from '../../../../jmap/bookings/public-page.ts'
import { type Html, html } from '../../html.ts'
import { accentPath, SCRIPT, STYLE } from '../assets.ts'
import type { Language } from '../languages.ts'

export interface Framed {
  readonly language: Language
  readonly title: string
  /** null: it is not known. */
  readonly organization: Pick<Look, 'name' | 'accentColor'> | null
  readonly isEmbedded: boolean
  readonly body: Html
}

export function layout({ language, title, organization, isEmbedded, body }: Framed): string {
  const accent = organization?.accentColor ?? null
  const page = html`<!doctype html>
<html lang="${language.words.language}"${isEmbedded && html` class="embedded"`}>
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<title>${title}${organization !== null && ` – ${organization.name}`}</title>
<link rel="stylesheet" href="${STYLE.path}">${
    accent &&
    html`
<link rel="stylesheet" href="${accentPath(accent)}">`
  }
<script type="module" src="${SCRIPT.path}"></script>
</head>
<body>
<main id="main" tabindex="-1">
${organization !== null && html`<p class="organization">${organization.name}</p>`}
${body}
</main>
</body>
</html>
`
  return page.text
}

/** A page with nothing but a message. */
export function message(title: string, ...paragraphs: readonly (string | Html)[]): Html {
  return html`<section class="card message">
<h1>${title}</h1>
${paragraphs.map((paragraph) => html`<p>${paragraph}</p>`)}
</section>`
}

/** The pages of the docs: fragments of HTML in pages/, in one frame, with generated tables. */
import { readFileSync } from 'node:fs'
import { htmlText } from '../html.ts'
import { changelogHtml, readChangelog } from './changelog.ts'
import { sectionsOf, withAnchors } from './sections.ts'
import { errorsTable, eventsTable, ratesTable, scopesTable } from './tables.ts'

/** Titles by the last part of the path; '' is /docs itself. */
export const TITLES: { readonly [name: string]: string } = {
  '': 'Posthouse API',
  'quick-start': 'Quick start',
  authentication: 'Authentication',
  errors: 'Errors',
  pagination: 'Pagination',
  idempotency: 'Idempotency',
  'rate-limits': 'Rate limits',
  newsletters: 'Newsletters',
  webhooks: 'Webhooks',
  calendars: 'Calendars',
  'calendar-files': 'Calendar files and feeds',
  moving: 'Moving in and out',
  audiences: 'Audiences',
  billing: 'Billing',
  client: 'Typed client',
  features: 'Features',
  'self-hosting': 'Self-hosting',
  reference: 'Reference',
  changelog: 'Changelog',
}

export const RECEIVER = text('examples/webhook-receiver.mjs')
export const CHANGELOG = readChangelog(text('../../../rest/changelog.md'))

/** The examples that verify a signature, by the language that a page shows. */
const VERIFYING: readonly (readonly [language: string, file: string])[] = [
  ['Node', 'verify.mjs'],
  ['Python', 'verify.py'],
  ['Go', 'verify.go'],
  ['PHP', 'verify.php'],
  ['Ruby', 'verify.rb'],
  ['Java', 'verify.java'],
]

function verifying(): string {
  const examples = VERIFYING.map(([language, file]) => {
    return `<pre data-language="${language}">${htmlText(text(`examples/${file}`))}</pre>`
  })
  return `<div class="languages">\n${examples.join('\n')}\n</div>`
}

const PARTS: { readonly [name: string]: () => string } = {
  errors: errorsTable,
  scopes: scopesTable,
  rates: ratesTable,
  events: eventsTable,
  receiver: () => htmlText(RECEIVER),
  verifying,
}

/** @param base where clients reach the server; the commands of the page name it */
export function renderPage(name: string, base: string): string {
  const title = TITLES[name] ?? ''
  const path = pathOf(name)
  const body = filled(name, base)
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title === TITLES[''] ? title : `${title} · ${TITLES['']}`}</title>
<link rel="icon" type="image/svg+xml" href="/docs/assets/favicon.svg">
<link rel="alternate" type="application/atom+xml" title="Changes" href="/docs/changelog.xml">
${[...(name === 'reference' ? ['swagger-ui', 'reference'] : []), 'docs']
  .map((sheet) => `<link rel="stylesheet" href="/docs/assets/${sheet}.css">`)
  .join('\n')}
<script defer src="/docs/assets/docs.js"></script>
</head>
<body>
<div class="frame">
${navigation(name, body)}
<main${name === 'reference' ? '' : ' class="prose"'}>
<h1>${title}</h1>
${withAnchors(body, path)}
</main>
</div>
</body>
</html>
`
}

/** All pages but the reference, which the search finds by its operations. */
export function pageTexts(base: string) {
  return Object.keys(TITLES)
    .filter((name) => name !== 'reference')
    .map((name) => ({ title: nameOf(name), path: pathOf(name), html: filled(name, base) }))
}

function filled(name: string, base: string): string {
  const parts = { ...PARTS, base: () => htmlText(base) }
  return (BODIES[name] ?? '').replaceAll(/\{\{(\w+)\}\}/g, (_, part: string) => parts[part as 'base']())
}

/** A list beside the page; on a phone it is behind a line that names the page. */
function navigation(name: string, body: string): string {
  const list = `<ul>
${Object.keys(TITLES)
  .map((each) => navItem(each, each === name, body))
  .join('\n')}
</ul>`
  return `<nav aria-label="Docs"><b>Posthouse API</b><div class="search"></div>${list}
<details><summary><b>Posthouse API</b> <span>› ${nameOf(name)}</span></summary><div class="search"></div>${list}</details></nav>`
}

function navItem(name: string, isHere: boolean, body: string): string {
  const path = pathOf(name)
  const link = `<a href="${path}"${isHere ? ' aria-current="page"' : ''}>${nameOf(name)}</a>`
  const sections = isHere ? sectionsOf(body) : []
  if (sections.length === 0) return `<li>${link}</li>`
  const items = sections.map(({ slug, title }) => `<li><a href="${path}#${slug}">${title}</a></li>`)
  return `<li>${link}<ul class="here">${items.join('')}</ul></li>`
}

function nameOf(name: string): string {
  return name === '' ? 'Overview' : (TITLES[name] ?? '')
}

function pathOf(name: string): string {
  return name === '' ? '/docs' : `/docs/${name}`
}

function text(path: string): string {
  return readFileSync(new URL(path, import.meta.url), 'utf8')
}

const BODIES = Object.fromEntries(
  Object.keys(TITLES).map((name) => [
    name,
    name === 'changelog'
      ? `<p class="lead">What changed for clients of the API. As a feed: <a href="/docs/changelog.xml">changelog.xml</a>.</p>\n${changelogHtml(CHANGELOG)}`
      : text(`pages/${name || 'overview'}.html`),
  ]),
)

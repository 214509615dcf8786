/** The pages of the docs: fragments of HTML in pages/, in one frame, with generated tables. */
import { readFileSync } from 'node:fs'
import { changelogHtml, readChangelog } from './changelog.ts'
import { htmlText } from './html.ts'
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
  webhooks: 'Webhooks',
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
  ['Java', 'Verify.java'],
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
  const parts = { ...PARTS, base: () => htmlText(base) }
  const body = (BODIES[name] ?? '').replaceAll(/\{\{(\w+)\}\}/g, (_, part: string) => parts[part as 'base']())
  const title = TITLES[name] ?? ''
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title === TITLES[''] ? title : `${title} · ${TITLES['']}`}</title>
<link rel="icon" href="data:,">
<link rel="alternate" type="application/atom+xml" title="Changes" href="/docs/changelog.xml">
${[...(name === 'reference' ? ['swagger-ui', 'reference'] : []), 'docs']
  .map((sheet) => `<link rel="stylesheet" href="/docs/assets/${sheet}.css">`)
  .join('\n')}
</head>
<body>
<div class="frame">
<nav aria-label="Docs"><b>Posthouse API</b><ul>
${Object.keys(TITLES)
  .map((each) => navItem(each, each === name))
  .join('\n')}
</ul></nav>
<main${name === 'reference' ? '' : ' class="prose"'}>
<h1>${title}</h1>
${body}
</main>
</div>
</body>
</html>
`
}

function navItem(name: string, isHere: boolean): string {
  const href = name === '' ? '/docs' : `/docs/${name}`
  return `<li><a href="${href}"${isHere ? ' aria-current="page"' : ''}>${name === '' ? 'Overview' : TITLES[name]}</a></li>`
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

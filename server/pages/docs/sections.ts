/** The sections of a page: each heading gets an id and a link to itself. */
import { htmlText } from '../html.ts'

const START = /(?=<h2[ >])/
const HEADING = /<h2(?: id="([^"]*)")?>([^<]*)<\/h2>/

export interface Section {
  readonly title: string
  readonly slug: string
  /** HTML from behind the heading to the next one. */
  readonly html: string
}

/** @param html a fragment whose headings are `<h2>` with plain text and at most an id */
export function sectionsOf(html: string): readonly Section[] {
  const taken = new Set<string>()
  return html
    .split(START)
    .filter((part) => part.startsWith('<h2'))
    .map((part) => {
      const [, id, title = ''] = HEADING.exec(part) ?? []
      const slug = id ?? freeSlug(title, taken)
      taken.add(slug)
      return { title, slug, html: part.slice(part.indexOf('</h2>') + '</h2>'.length) }
    })
}

/** @param path of the page */
export function withAnchors(html: string, path: string): string {
  const sections = sectionsOf(html)
  let at = 0
  return html.replaceAll(new RegExp(HEADING, 'g'), () => {
    const { slug, title } = sections[at++]!
    const link = `<a class="anchor" href="${path}#${slug}" aria-label="Link to ${htmlText(title)}">#</a>`
    return `<h2 id="${slug}">${title} ${link}</h2>`
  })
}

function freeSlug(title: string, taken: ReadonlySet<string>): string {
  const plain = title
    .toLowerCase()
    .replaceAll(/&\w+;/g, '')
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '')
  const slug = plain || 'section'
  for (let n = 1; ; n++) {
    const candidate = n === 1 ? slug : `${slug}-${n}`
    if (!taken.has(candidate)) return candidate
  }
}

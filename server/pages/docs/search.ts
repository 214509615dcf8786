/** What the search of the docs looks through: every section of every page, and every operation of the API. */
import { openApiDocument } from '../../../rest/rest.ts'
import { sectionsOf } from './sections.ts'

export interface SearchEntry {
  readonly page: string
  readonly title: string
  readonly href: string
  readonly text: string
}

interface Page {
  readonly title: string
  readonly path: string
  /** Its fragment of HTML, filled in. */
  readonly html: string
}

type Paths = {
  readonly [path: string]: {
    readonly [method: string]: { operationId: string; tags: string[]; summary: string; description?: string }
  }
}

export function searchIndex(pages: readonly Page[]): readonly SearchEntry[] {
  return [...pages.flatMap(entriesOf), ...operations()]
}

function entriesOf({ title, path, html }: Page): SearchEntry[] {
  const [lead = ''] = html.split(/(?=<h2[ >])/)
  const sections = sectionsOf(html).map((section) => {
    return {
      page: title,
      title: plainText(section.title),
      href: `${path}#${section.slug}`,
      text: plainText(section.html),
    }
  })
  return [{ page: title, title, href: path, text: lead.startsWith('<h2') ? '' : plainText(lead) }, ...sections]
}

/** With the addresses that Swagger UI gives them (deepLinking). */
function operations(): SearchEntry[] {
  const { paths } = openApiDocument() as { readonly paths: Paths }
  return Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, { operationId, tags, summary, description = '' }]) => ({
      page: 'Reference',
      title: summary,
      href: `/docs/reference#/${encodeURIComponent(tags[0] ?? '')}/${operationId}`,
      text: `${method.toUpperCase()} ${path} ${operationId} ${description}`,
    })),
  )
}

function plainText(html: string): string {
  return html
    .replaceAll(/<[^>]*>/g, ' ')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&amp;', '&')
    .replaceAll(/\s+/g, ' ')
    .trim()
}

/** rest/changelog.md as a page and as an Atom feed (decision D28, RFC 4287). */
import { htmlText } from '../html.ts'

interface Entry {
  /** `2026-11-21`. */
  readonly date: string
  readonly changes: readonly string[]
}

/** Parses `## <date>` and lines that begin with `- `; an indented line continues the one before. */
export function readChangelog(markdown: string): Entry[] {
  return markdown
    .split(/^## /m)
    .slice(1)
    .map((section) => {
      const [date = '', ...lines] = section.split('\n')
      const items =
        lines
          .join('\n')
          .replaceAll(/\n {2,}/g, ' ')
          .match(/^- .+$/gm) ?? []
      return { date: date.trim(), changes: items.map((item) => item.slice(2)) }
    })
}

export function changelogHtml(entries: readonly Entry[]): string {
  return entries
    .map(({ date, changes }) => `<h2 id="${date}">${date}</h2>\n<ul>\n${changes.map(item).join('\n')}\n</ul>`)
    .join('\n')
}

function item(change: string): string {
  return `<li>${htmlText(change).replaceAll(/`([^`]+)`/g, '<code>$1</code>')}</li>`
}

/** @param base where clients reach the server */
export function changelogFeed(entries: readonly Entry[], base: string): string {
  const page = `${htmlText(base)}/docs/changelog`
  const feed = entries.map(
    ({ date, changes }) => `  <entry>
    <id>${page}#${date}</id>
    <title>Changes of ${date}</title>
    <updated>${date}T00:00:00Z</updated>
    <link href="${page}#${date}"/>
    <content type="html">${htmlText(`<ul>${changes.map(item).join('')}</ul>`)}</content>
  </entry>`,
  )
  return `<?xml version="1.0" encoding="UTF-8"?>
<feed xmlns="http://www.w3.org/2005/Atom">
  <id>${page}</id>
  <title>Posthouse API: changes</title>
  <author><name>Posthouse</name></author>
  <updated>${entries[0]?.date ?? '1970-01-01'}T00:00:00Z</updated>
  <link rel="self" href="${page}.xml"/>
${feed.join('\n')}
</feed>
`
}

/** The feeds of an archive: RSS 2.0 and JSON Feed 1.1. Pure. */
import type { ArchiveIndex } from '../../../jmap/newsletters/archive/read-archive.ts'
import { htmlText } from '../html.ts'

export interface FeedPlaces {
  /** URL of the server, without a slash at the end. */
  readonly baseUrl: string
  /** Path of the index page. */
  readonly index: string
}

export function rssOf({ organization, entries }: ArchiveIndex, title: string, { baseUrl, index }: FeedPlaces): string {
  const items = entries.map(({ path, title: name, previewText, publishedAt }) => {
    const url = xml(baseUrl + path)
    return `<item><title>${xml(name)}</title><link>${url}</link><guid isPermaLink="true">${url}</guid><pubDate>${new Date(publishedAt).toUTCString()}</pubDate>${previewText === null ? '' : `<description>${xml(previewText)}</description>`}</item>`
  })
  const self = `<atom:link href="${xml(`${baseUrl}${index}/feed.xml`)}" rel="self" type="application/rss+xml"/>`
  return `<?xml version="1.0" encoding="UTF-8"?>
<rss version="2.0" xmlns:atom="http://www.w3.org/2005/Atom"><channel><title>${xml(title)}</title><link>${xml(baseUrl + index)}</link><description>${xml(organization.name)}</description>${self}
${items.join('\n')}
</channel></rss>
`
}

export function jsonFeedOf({ organization, entries }: ArchiveIndex, title: string, places: FeedPlaces): string {
  const { baseUrl, index } = places
  return JSON.stringify({
    version: 'https://jsonfeed.org/version/1.1',
    title,
    home_page_url: baseUrl + index,
    feed_url: `${baseUrl}${index}/feed.json`,
    authors: [{ name: organization.name }],
    items: entries.map(({ path, title: name, previewText, language, publishedAt }) => ({
      id: baseUrl + path,
      url: baseUrl + path,
      title: name,
      // JSON Feed 1.1: an item has a content.
      content_text: previewText ?? name,
      date_published: publishedAt,
      language,
    })),
  })
}

/** XML 1.0 2.2: other control characters are not allowed, escaped or not. */
function xml(text: string): string {
  return htmlText(text.toWellFormed().replaceAll(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, ''))
}

/** Counts the URLs of a newsletter (decisions D19, D31). What the server adds does not count. */
import { NEWSLETTER_URLS_MAX } from '../../../server/base/newsletter-limits.ts'
import type { Block, Column } from './block.ts'
import type { CustomHtml } from './custom-html.ts'
import { normalisedUrl } from './url.ts'

export interface UrlBreakdown {
  /** Occurrences. */
  readonly hrefCount: number
  readonly imageSrcCount: number
  readonly videoHrefCount: number
  /** In a text part that the author wrote. */
  readonly textUrlCount: number
  /** Distinct ones, without fragments. */
  readonly uniqueUrlCount: number
  readonly maxUniqueUrls: number
  /** Those beyond the maximum, in the order of the newsletter. */
  readonly offendingUrls: readonly string[]
}

interface Urls {
  readonly links: string[]
  readonly images: string[]
  readonly videos: string[]
  /** All, in order. */
  readonly all: string[]
}

/** @param custom the custom blocks, by index. @param ownText the text part, if the author wrote it */
export function urlBreakdown(
  blocks: readonly Block[],
  custom: ReadonlyMap<number, CustomHtml>,
  ownText: string | null,
): UrlBreakdown {
  const urls: Urls = { links: [], images: [], videos: [], all: [] }
  for (const [at, block] of blocks.entries()) collect(block, custom.get(at), urls)
  const texts = ownText === null ? [] : urlsInText(ownText)
  urls.all.push(...texts)
  const unique = new Set(urls.all.flatMap((url) => normalisedUrl(url) ?? []))
  return {
    hrefCount: urls.links.length,
    imageSrcCount: urls.images.length,
    videoHrefCount: urls.videos.length,
    textUrlCount: texts.length,
    uniqueUrlCount: unique.size,
    maxUniqueUrls: NEWSLETTER_URLS_MAX,
    offendingUrls: [...unique].slice(NEWSLETTER_URLS_MAX),
  }
}

/** URLs of images that are not loaded by TLS: many clients do not show them. */
export function insecureImages(blocks: readonly Block[], custom: ReadonlyMap<number, CustomHtml>): string[] {
  const urls: Urls = { links: [], images: [], videos: [], all: [] }
  for (const [at, block] of blocks.entries()) collect(block, custom.get(at), urls)
  return urls.images.filter((url) => /^http:/i.test(url))
}

function collect(block: Block, custom: CustomHtml | undefined, urls: Urls): void {
  const add = (kind: 'links' | 'images' | 'videos', ...given: (string | null | undefined)[]) => {
    const known = given.filter((url) => typeof url === 'string')
    // Links to the recipient's own pages do not count.
    const counted = known.filter((url) => normalisedUrl(url) !== null)
    urls[kind].push(...counted)
    urls.all.push(...counted)
  }
  const addColumn = ({ image_url, cta_url }: Column) => {
    add('images', image_url)
    add('links', cta_url)
  }
  if (block.type === 'button') add('links', block.url)
  else if (block.type === 'image') {
    add('images', block.url)
    add('links', block.link_url, block.caption_url)
  } else if (block.type === 'video') {
    add('images', block.thumbnail_url)
    add('videos', block.video_url)
  } else if (block.type === 'columns') {
    addColumn(block.left)
    addColumn(block.right)
  } else if (block.type === 'link_list') add('links', ...block.items.map(({ url }) => url))
  else if (block.type === 'custom_html') {
    add('links', ...(custom?.links ?? []))
    add('images', ...(custom?.images ?? []))
  }
}

/** A full stop or a bracket at the end is of the sentence. */
function urlsInText(text: string): string[] {
  return [...text.matchAll(/\bhttps?:\/\/[^\s<>"]{1,2000}/gi)].map(([url]) => url.replace(/[.,;:!?)\]}'*_]{1,50}$/, ''))
}

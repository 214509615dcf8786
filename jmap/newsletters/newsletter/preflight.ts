/** Newsletter/preflight: what is missing before a newsletter can be sent (decision D19). Each message says what to do. */
import { NEWSLETTER_URLS_MAX } from '../../../server/base/newsletter-limits.ts'
import type { Reader } from '../../../storage/ports.ts'
import { formatUTCDate } from '../../protocol/primitives.ts'
import { implement } from '../../type/method.ts'
import { deletedAssets } from '../asset/asset-uses.ts'
import type { UrlBreakdown } from '../content/url-breakdown.ts'
import { type Compiled, compile, newsletterContent, openNewsletter } from './compile.ts'
import { NewsletterPreflight, PREFLIGHT_KEYS } from './newsletter.type.ts'
import { contentItems } from './preflight-content.ts'
import { type Asking, factItems } from './preflight-facts.ts'
import type { PreflightItem, PreflightKey } from './preflight-item.ts'
import type { StoredNewsletter } from './stored-newsletter.ts'

export interface Preflight {
  readonly newsletter: StoredNewsletter
  readonly items: readonly PreflightItem[]
  readonly compiled: Compiled
}

export const preflightMethod = implement(NewsletterPreflight, async (method, { newsletterId }) => {
  const asking = { services: method.services, account: method.account.number }
  const { items, compiled } = await preflight(
    asking,
    (use) => method.read(use),
    (reader) => openNewsletter(method, reader, newsletterId),
  )
  return {
    accountId: method.account.id,
    ready: failedOf(items).length === 0,
    items,
    urlBreakdown: { ...('faults' in compiled ? NO_URLS : compiled.urls) },
    checkedAt: formatUTCDate(method.services.clock.now()),
  }
})

/** @param open reads the newsletter */
export async function preflight(
  asking: Asking,
  read: <T>(use: (reader: Reader) => Promise<T>) => Promise<T>,
  open: (reader: Reader) => Promise<StoredNewsletter>,
): Promise<Preflight> {
  const { newsletter, facts, content, deleted } = await read(async (reader) => {
    const found = await open(reader)
    return {
      newsletter: found,
      facts: await factItems(asking, reader, found),
      content: await newsletterContent(reader, asking.account, found),
      deleted: await deletedAssets(reader, asking.services.keyring, asking.account, found.content),
    }
  })
  const compiled = await compile(asking.services, asking.account, content)
  return { newsletter, compiled, items: inOrder([...facts, ...contentItems(compiled, content.subject, deleted)]) }
}

/** What keeps it from being sent. @param keys only these */
export function failedOf(items: readonly PreflightItem[], keys: readonly PreflightItem['key'][] = ORDER) {
  return items.filter(({ key, status }) => status === 'fail' && keys.includes(key))
}

const ORDER: readonly PreflightKey[] = PREFLIGHT_KEYS

function inOrder(items: readonly PreflightItem[]): PreflightItem[] {
  return ORDER.flatMap((key) => items.filter((item) => item.key === key))
}

const NO_URLS: UrlBreakdown = {
  hrefCount: 0,
  imageSrcCount: 0,
  videoHrefCount: 0,
  textUrlCount: 0,
  uniqueUrlCount: 0,
  maxUniqueUrls: NEWSLETTER_URLS_MAX,
  offendingUrls: [],
}

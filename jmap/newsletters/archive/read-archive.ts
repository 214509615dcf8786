/** The public archive of an organization's newsletters. Nothing of a subscriber is in it: merge fields show their fallbacks. */
import { ARCHIVE_INDEX_MAX, ARCHIVE_WALK_MAX } from '../../../server/base/newsletter-limits.ts'
import type { Reader } from '../../../storage/ports.ts'
import { findRows, selectRows } from '../../../storage/repos/numbered-rows.ts'
import type { NewsletterTable } from '../../../storage/schema/tables.ts'
import { findOrganization, type Look, organizationOf } from '../../bookings/public-page.ts'
import type { Services } from '../../type/context.ts'
import { fillSubject } from '../content/newsletter-content.ts'
import { fill } from '../content/template.ts'
import { compile, newsletterContent } from '../newsletter/compile.ts'
import { Newsletter } from '../newsletter/newsletter.type.ts'
import { readNewsletter, settingsOf } from '../newsletter/stored-newsletter.ts'
import { archivePath, isShown, readArchiveToken } from './archive-links.ts'

export interface ArchivePage {
  /** The whole document. It is of its author: serve it with NEWSLETTER_PAGE_POLICY. */
  readonly html: string
  readonly language: string
  /** Whether search engines may show it. */
  readonly isPublic: boolean
  /** Slug of the organization. */
  readonly slug: string
}

/** null: there is no such page, or it was not sent. */
export async function readArchivePage(services: Services, token: string): Promise<ArchivePage | null> {
  const place = readArchiveToken(services.keyring, token)
  if (!place) return null
  const found = await services.store.read(async (reader) => {
    const newsletter = await readNewsletter(reader, place.account, place.newsletter)
    if (!newsletter || !isShown(newsletter.settings)) return null
    const organization = await organizationOf(reader, place.account)
    const content = await newsletterContent(reader, place.account, newsletter)
    return organization && { settings: newsletter.settings, slug: organization.slug, content }
  })
  if (!found) return null
  const { settings, slug, content } = found
  const compiled = await compile(services, place.account, content)
  if ('faults' in compiled) return null
  const isPublic = settings.archiveVisibility === 'public'
  return { html: asPage(fill(compiled.archive, {})), language: settings.language, isPublic, slug }
}

/** What is an article in a mail client's page is the main part of its own. Its element comes before all content. */
function asPage(html: string): string {
  return html.replace(' aria-roledescription="email"', '').replace(' role="article"', ' role="main"')
}

export interface ArchiveEntry {
  readonly path: string
  readonly title: string
  readonly previewText: string | null
  readonly language: string
  /** UTCDate: when its sending began. */
  readonly publishedAt: string
}

export interface ArchiveIndex {
  readonly organization: Look
  /** Newest first. */
  readonly entries: readonly ArchiveEntry[]
  /** Where the next page goes on; null: this is the last one. */
  readonly next: string | null
}

/** @param before `next` of the page before; null: the first page. @returns null: there is no such organization */
export function readArchiveIndex(
  services: Services,
  slug: string,
  before: string | null,
): Promise<ArchiveIndex | null> {
  const { ids, keyring, store } = services
  return store.read(async (reader) => {
    const found = await findOrganization(reader, slug)
    if (!found) return null
    const { number: account, ...organization } = found
    const decoded = before === null ? null : ids.decode(Newsletter, before)
    if (before !== null && decoded?.account !== account) return null
    const entries: ArchiveEntry[] = []
    const rows = await publicRows(reader, account, decoded?.object ?? null)
    for (const row of rows.slice(0, ARCHIVE_INDEX_MAX)) {
      const { subject, previewText, language, startedAt } = settingsOf(row)
      entries.push({
        path: archivePath(keyring, { account, newsletter: row.id }),
        title: fillSubject(subject),
        previewText: previewText === null ? null : fillSubject(previewText),
        language,
        publishedAt: startedAt!,
      })
    }
    const last = rows.length > ARCHIVE_INDEX_MAX ? rows[ARCHIVE_INDEX_MAX - 1] : undefined
    return { organization, entries, next: last ? ids.encode(Newsletter, account, last.id) : null }
  })
}

/** One more than a page shows, of at most ARCHIVE_WALK_MAX newsletters. */
async function publicRows(reader: Reader, account: number, before: number | null): Promise<NewsletterTable[]> {
  const shown: NewsletterTable[] = []
  const below = before === null ? null : ({ kind: 'below', column: 'id', value: before } as const)
  const query = { table: 'newsletter', account, condition: below, oldestFirst: false } as const
  for (let position = 0; position < ARCHIVE_WALK_MAX; position += ARCHIVE_INDEX_MAX) {
    const ids = await selectRows(reader, query, position, ARCHIVE_INDEX_MAX)
    const rows = new Map((await findRows(reader, 'newsletter', account, ids)).map((row) => [row.id, row]))
    for (const id of ids) {
      const row = rows.get(id)
      const settings = row && settingsOf(row)
      if (settings && isShown(settings) && settings.archiveVisibility === 'public') shown.push(row)
      if (shown.length > ARCHIVE_INDEX_MAX) return shown
    }
    if (ids.length < ARCHIVE_INDEX_MAX) break
  }
  return shown
}

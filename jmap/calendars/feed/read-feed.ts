/** What the URL of a feed gives. It needs no login: who knows the URL may read. */
import { FEED_REFRESH } from '../../../server/base/calendar-exchange-limits.ts'
import { type Guard, UNGUARDED } from '../../../server/base/guard.ts'
import type { Reader } from '../../../storage/ports.ts'
import { findAccount } from '../../../storage/repos/accounts.ts'
import { newestChangeAt } from '../../../storage/repos/newest-change.ts'
import type { Services } from '../../type/context.ts'
import { findStored } from '../../type/object-store.ts'
import { Calendar } from '../calendar/calendar.type.ts'
import type { StoredCalendar } from '../calendar/calendars.ts'
import { CalendarEvent } from '../event/calendar-event.type.ts'
import { readTextPage } from '../exchange/calendar-text.ts'
import { headerOf, textState } from '../exchange/export.ts'
import type { TextPlace } from '../exchange/text-place.ts'
import { CalendarFeed } from './calendar-feed.type.ts'
import { isSecretOf, readFeedToken } from './feed-token.ts'
import { shownInFeed } from './shown-in-feed.ts'

/** Numbers of what a feed shows. */
export interface FeedSource {
  readonly account: number
  /** null: all calendars. */
  readonly calendar: number | null
}

/** A feed as it is now. Plain data. */
export interface Feed extends FeedSource {
  /** Feeds with the same key and state have the same text. */
  readonly key: string
  readonly state: string
  /** Epoch ms; null: unknown. */
  readonly changedAt: number | null
}

export interface FeedPage {
  readonly text: string
  /** null: it was the last page. */
  readonly next: TextPlace | null
}

/** null: there is none, or it ended: it was revoked, or its calendar or mailbox was deleted or suspended. */
export function findFeed({ store, ids }: Pick<Services, 'store' | 'ids'>, token: string): Promise<Feed | null> {
  return store.read(async (reader) => {
    const source = await lookUp(ids, reader, token)
    const opened = source && (await open(reader, source))
    if (!opened) return null
    const { account, calendar } = source
    return {
      account,
      calendar,
      key: `${account}.${calendar ?? ''}`,
      state: await textState(reader, account),
      changedAt: await newestChangeAt(reader, account, [CalendarEvent.name, Calendar.name]),
    }
  })
}

/** null: the calendar or its mailbox was deleted or suspended. @param after null: the first page */
export function readFeedPage(
  { store, clock }: Pick<Services, 'store' | 'clock'>,
  { account, calendar }: FeedSource,
  after: TextPlace | null,
  guard: Guard = UNGUARDED,
): Promise<FeedPage | null> {
  return store.read(async (reader) => {
    const opened = await open(reader, { account, calendar })
    if (!opened) return null
    const header = { ...headerOf(opened.calendar), refresh: FEED_REFRESH }
    const asked = { account, calendar, header, lossless: false, shown: shownInFeed, now: clock.now() }
    const { text, next } = await readTextPage(reader, asked, after, guard)
    return { text, next }
  }, guard)
}

/** What the owner made the URL for. It may be gone. */
async function lookUp(ids: Services['ids'], reader: Reader, token: string): Promise<FeedSource | null> {
  const named = readFeedToken(token)
  const feed = named && (await findStored(reader, named.account, CalendarFeed, named.feed))
  if (!feed || !isSecretOf(feed.data.secretHash, named.secret)) return null
  const { account } = named
  const { calendarId } = feed.data
  if (calendarId === null) return { account, calendar: null }
  const decoded = ids.decode(Calendar, calendarId)
  return decoded && { account, calendar: decoded.object }
}

/** The calendar, null for all; null in place of both: it is gone. */
async function open(
  reader: Reader,
  { account, calendar }: FeedSource,
): Promise<{ readonly calendar: StoredCalendar | null } | null> {
  const owner = await findAccount(reader, account)
  const organization = owner && (await findAccount(reader, owner.organization))
  if (owner?.suspended_at !== null || organization?.suspended_at !== null) return null
  if (calendar === null) return { calendar: null }
  const found = await findStored(reader, account, Calendar, calendar)
  return found && { calendar: found }
}

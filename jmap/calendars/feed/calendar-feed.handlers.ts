/** Handlers of CalendarFeed: making a feed makes its URL, destroying it revokes the URL. */
import { MAX_CALENDAR_FEEDS } from '../../../server/base/calendar-exchange-limits.ts'
import type { AccountUnit } from '../../../storage/ports.ts'
import { invalidProperties, setError } from '../../protocol/errors.ts'
import { objectHandlers } from '../../type/object-handlers.ts'
import { deleteStored, findStored, listStored } from '../../type/object-store.ts'
import { Calendar } from '../calendar/calendar.type.ts'
import { CalendarFeed } from './calendar-feed.type.ts'
import { feedPath, newSecret, secretHash } from './feed-token.ts'

export const calendarFeedHandlers = objectHandlers(CalendarFeed, {
  async create({ unit, method }, { calendarId }) {
    const { account } = unit
    if (calendarId !== null && !(await findStored(unit, account, Calendar, method.number(Calendar, calendarId))))
      return { error: invalidProperties(['calendarId'], 'There is no such calendar.') }
    if ((await listStored(unit, account, CalendarFeed)).length >= MAX_CALENDAR_FEEDS)
      return { error: setError('overQuota', `A mailbox has at most ${MAX_CALENDAR_FEEDS} feeds.`) }
    const feed = unit.nextObject()
    const secret = newSecret()
    return {
      number: feed,
      stored: { calendarId, secretHash: secretHash(secret) },
      serverSet: { path: feedPath({ account, feed, secret }) },
    }
  },
})

/** The URLs of a calendar end with it. */
export async function removeFeedsOf(unit: AccountUnit, calendarId: string): Promise<void> {
  for (const { id, data } of await listStored(unit, unit.account, CalendarFeed))
    if (data.calendarId === calendarId) await deleteStored(unit, CalendarFeed, id)
}

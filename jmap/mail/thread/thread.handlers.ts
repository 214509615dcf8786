/** Handlers of Thread (RFC 8621 3), and the vendor method Thread/query. */
import type { JsonObject } from '../../../server/base/json.ts'
import { MAX_QUERY_IDS } from '../../../server/base/limits.ts'
import { stateOf } from '../../../storage/change-log.ts'
import { emailsOfThreads, findEmails } from '../../../storage/repos/emails.ts'
import { selectThreads } from '../../../storage/repos/thread-query.ts'
import { countThreads, findThreads } from '../../../storage/repos/threads.ts'
import { epochOf, formatUTCDate } from '../../protocol/primitives.ts'
import type { ObjectOf } from '../../type/derived.ts'
import type { Handlers } from '../../type/handlers.ts'
import { implement } from '../../type/method.ts'
import { pick } from '../../type/methods/get.ts'
import { Email } from '../email/email.type.ts'
import { packedLines, packedValue } from '../email/packed.ts'
import { Thread, ThreadQuery } from './thread.type.ts'

const NONE: ReadonlyMap<number, readonly number[]> = new Map()

export const threadHandlers: Handlers<typeof Thread> = {
  async all({ method, reader }, limit) {
    return selectThreads(reader, method.account.number, null, 0, limit)
  },

  async load({ method, reader }, { numbers, properties }) {
    const account = method.account.number
    const found = new Map<number, JsonObject>()
    const rows = await findThreads(reader, account, numbers)
    const needsEmails = properties.includes('emailIds') || properties.includes('subject')
    // RFC 8621 3: oldest first.
    const ofThreads = needsEmails ? await emailsOfThreads(reader, account, numbers) : NONE
    const firsts = properties.includes('subject') ? [...ofThreads.values()].map(([first]) => first!) : []
    const emailOf = new Map((await findEmails(reader, account, firsts)).map((email) => [email.id, email]))
    for (const row of rows) {
      const emails = ofThreads.get(row.id) ?? []
      const first = emailOf.get(emails[0]!)
      const thread: ObjectOf<typeof Thread> = {
        id: method.id(Thread, row.id),
        emailIds: emails.map((id) => method.id(Email, id)),
        subject: first ? packedValue(packedLines(first.packed), 'subject') : null,
        messageCount: row.total,
        latestEmailId: method.id(Email, row.latest_email),
        latestAt: formatUTCDate(row.latest_at),
        createdAt: formatUTCDate(row.created_at),
      }
      found.set(row.id, pick(thread, properties))
    }
    return found
  },
}

export const threadQuery = implement(
  ThreadQuery,
  async (method, { filter, position, limit: wanted, calculateTotal }) => {
    const account = method.account.number
    const olderThan = filter?.olderThan
    const key = olderThan
      ? { latestAt: epochOf(olderThan.latestAt), id: method.number(Thread, olderThan.id) ?? 0 }
      : null
    const limit = Math.min(wanted ?? MAX_QUERY_IDS, MAX_QUERY_IDS)
    return method.read(async (reader) => ({
      accountId: method.account.id,
      queryState: String(await stateOf(reader, account, Thread.name)),
      canCalculateChanges: false,
      position,
      ids: (await selectThreads(reader, account, key, position, limit)).map((number) => method.id(Thread, number)),
      ...(calculateTotal && { total: await countThreads(reader, account) }),
    }))
  },
)

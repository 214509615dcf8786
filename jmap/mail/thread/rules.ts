/** Rules of Thread (RFC 8621 3), and the vendor method Thread/query: conversations, the latest first. */

import { MAX_QUERY_IDS } from '../../../server/base/limits.ts'
import { stateOf } from '../../../storage/change-log.ts'
import { emailsOfThread, findEmail } from '../../../storage/repos/emails.ts'
import { selectThreads } from '../../../storage/repos/thread-query.ts'
import { countThreads, findThread } from '../../../storage/repos/threads.ts'
import { SERVICE } from '../../capabilities.ts'
import type { Json, JsonObject } from '../../protocol/json.ts'
import { formatUTCDate, parseUTCDate } from '../../protocol/primitives.ts'
import { defineMethod } from '../../type/method.ts'
import { pick } from '../../type/methods/get.ts'
import { p } from '../../type/property.ts'
import type { Rules } from '../../type/rules.ts'
import { packedLines, packedText } from '../email/packed.ts'

export const threadRules: Rules = {
  async all({ method, reader }, limit) {
    return selectThreads(reader, method.account.number, null, 0, limit)
  },

  async load({ method, reader }, { numbers, properties }) {
    const account = method.account.number
    const found = new Map<number, JsonObject>()
    for (const number of numbers) {
      const row = await findThread(reader, account, number)
      if (!row) continue
      const thread: { [name: string]: Json } = {
        id: method.id('Thread', number),
        messageCount: row.total,
        latestEmailId: method.id('Email', row.latest_email),
        latestAt: formatUTCDate(row.latest_at),
        createdAt: formatUTCDate(row.created_at),
      }
      // RFC 8621 3: oldest first.
      if (properties.includes('emailIds') || properties.includes('subject')) {
        const emails = await emailsOfThread(reader, account, number)
        thread['emailIds'] = emails.map(({ id }) => method.id('Email', id))
        const first = properties.includes('subject') ? await findEmail(reader, account, emails[0]!.id) : null
        if (first) thread['subject'] = JSON.parse(packedText(packedLines(first.packed), 'subject')) as Json
      }
      found.set(number, pick(thread, properties))
    }
    return found
  },
}

/** Paging by `olderThan` is by key, not by snapshot: it goes on rightly when mail has come in meanwhile. */
export const threadQuery = defineMethod({
  name: 'Thread/query',
  capability: SERVICE,
  accounts: 'mailbox',
  scope: 'messages:read',
  writes: false,
  args: {
    filter: p
      .object({ olderThan: p.object({ latestAt: p.utcDate(), id: p.id() }).nullable().maybe() })
      .nullable()
      .defaults(null),
    position: p.uint().defaults(0),
    limit: p.uint().nullable().defaults(null),
    calculateTotal: p.bool().defaults(false),
  },
  async run(method, args) {
    const account = method.account.number
    const olderThan = (args['filter'] as JsonObject | null)?.['olderThan'] as
      | { latestAt: string; id: string }
      | null
      | undefined
    const key = olderThan
      ? { latestAt: parseUTCDate(olderThan.latestAt)!, id: method.number('Thread', olderThan.id) ?? 0 }
      : null
    const position = args['position'] as number
    const limit = Math.min((args['limit'] as number | null) ?? MAX_QUERY_IDS, MAX_QUERY_IDS)
    return method.read(async (reader) => ({
      accountId: method.account.id,
      queryState: String(await stateOf(reader, account, 'Thread')),
      canCalculateChanges: false,
      position,
      ids: (await selectThreads(reader, account, key, position, limit)).map((number) => method.id('Thread', number)),
      ...(args['calculateTotal'] === true && { total: await countThreads(reader, account) }),
    }))
  },
})

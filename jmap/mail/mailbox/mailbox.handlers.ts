/** Handlers of Mailbox: RFC 8621 2. */
import { MAX_SIZE_MAILBOX_NAME } from '../../../server/base/limits.ts'
import { listMailboxes } from '../../../storage/repos/mailboxes.ts'
import type { Handlers } from '../../type/handlers.ts'
import { pick } from '../../type/methods/get.ts'
import { presentMailbox } from './columns.ts'
import type { Mailbox } from './mailbox.type.ts'
import { planMailboxes } from './mailbox-plan.ts'
import { queryMailboxes } from './query.ts'

const COUNT_NAMES = ['totalEmails', 'unreadEmails', 'totalThreads', 'unreadThreads', 'ownUnreadThreads']

export const mailboxHandlers: Handlers<typeof Mailbox> = {
  async all({ method, reader }, limit) {
    return (await listMailboxes(reader, method.account.number)).slice(0, limit).map((row) => row.id)
  },

  async load({ method, reader }, { numbers, properties }) {
    const wanted = new Set(numbers)
    const rows = (await listMailboxes(reader, method.account.number)).filter((row) => wanted.has(row.id))
    return new Map(rows.map((row) => [row.id, pick(presentMailbox(method, row), properties)]))
  },

  async loadAll({ method, reader }, { properties }, limit) {
    const rows = (await listMailboxes(reader, method.account.number)).slice(0, limit)
    return new Map(rows.map((row) => [row.id, pick(presentMailbox(method, row), properties)]))
  },

  query: queryMailboxes,

  /** RFC 8621 2, RFC 5198: a name is stored in Normalization Form C. */
  canonical(object) {
    const { name } = object
    // A name that is too long is refused later.
    if (typeof name !== 'string' || name.length > MAX_SIZE_MAILBOX_NAME || name === name.normalize('NFC'))
      return { value: object, differing: [] }
    return { value: { ...object, name: name.normalize('NFC') }, differing: ['name'] }
  },

  /** RFC 8621 2.3: in a tree, a moved mailbox moves others, and filterAsTree reads more than one mailbox. */
  canCalculateChanges: ({ args }) => !args.sortAsTree && !args.filterAsTree,

  /** RFC 8621 2.2: if only counts changed, clients need fetch nothing else. */
  extraChanges(names) {
    const onlyCounts = names !== null && names.size > 0 && [...names].every((name) => COUNT_NAMES.includes(name))
    return { updatedProperties: onlyCounts ? [...names].filter((name) => name !== 'ownUnreadThreads') : null }
  },

  plan: planMailboxes,
}

/** Handlers of VacationResponse: RFC 8621 8. Delivery sends the replies (jmap/delivery/answer.ts); REST shows the record as auto_reply. */
import { setError } from '../../protocol/errors.ts'
import { SINGLETON, SINGLETON_ID } from '../../type/define-type.ts'
import type { Handlers } from '../../type/handlers.ts'
import { pick } from '../../type/methods/get.ts'
import { saveSingleton } from '../../type/object-store.ts'
import { showAutoReply, vacationResponseOf } from './auto-reply.ts'
import { VacationResponse } from './vacation-response.type.ts'

export const vacationResponseHandlers: Handlers<typeof VacationResponse> = {
  // RFC 8621 8.1: an account has exactly one.
  all: async () => [SINGLETON],

  async load({ method, reader }, { numbers, properties }) {
    const object = { id: SINGLETON_ID, ...(await vacationResponseOf(reader, method.account.number)) }
    return new Map(numbers.map((number) => [number, pick(object, properties)]))
  },

  /** The organization's account describes the mailbox with its auto-reply. */
  accountsOf: async ({ account }) => [account.organization],

  async update({ unit, work }, _number, { next, changed }) {
    // RFC 8620 5.3: an update without a change is no error and no change.
    if (changed.length === 0) return { updated: null }
    const { id: _id, ...response } = next
    await saveSingleton(unit, VacationResponse, response, changed)
    await showAutoReply(work.account(unit.organization), unit.account, response)
    return { updated: null }
  },

  // RFC 8620 5.3
  destroy: async () => setError('singleton'),
}

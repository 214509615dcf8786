/** Rules of VacationResponse: RFC 8621 8. Answers are delivery's (jmap/mail/delivery/answer.ts); REST knows the record as auto_reply. */
import {
  findVacationResponse,
  keepVacationResponse,
  type VacationResponse as Stored,
} from '../../../storage/repos/vacation-responses.ts'
import { setError } from '../../protocol/errors.ts'
import { SINGLETON } from '../../type/define-type.ts'
import { pick } from '../../type/methods/get.ts'
import type { Rules } from '../../type/rules.ts'
import { showAutoReply } from './auto-reply.ts'
import { VacationResponse } from './vacation-response.type.ts'

export const vacationRules: Rules = {
  // RFC 8621 8.1: there is exactly one in an account.
  all: async () => [SINGLETON],

  async load({ method, reader }, { numbers, properties }) {
    const object = { id: 'singleton', ...(await findVacationResponse(reader, method.account.number)) }
    return new Map(numbers.map((number) => [number, pick(object, properties)]))
  },

  /** The mailbox is described in its organization's account, with its auto-reply. */
  accountsOf: async ({ account }) => [account.organization],

  async update({ unit, work }, number, { next, changed }) {
    // RFC 8620 5.3: an update that changes nothing is no error, and no change.
    if (changed.length === 0) return { updated: null }
    const { id: _id, ...response } = next
    await keepVacationResponse(unit, response as unknown as Stored)
    unit.change(VacationResponse.name, number, 'u', changed)
    await showAutoReply(work.account(unit.organization), unit.account, response as unknown as Stored)
    return { updated: null }
  },

  // RFC 8620 5.3: it can neither be made nor go.
  destroy: async () => setError('singleton'),
}

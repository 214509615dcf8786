/** Handlers of ParticipantIdentity: JMAP Calendars 3. */
import { MAX_PARTICIPANT_IDENTITIES } from '../../../server/base/calendar-data-limits.ts'
import type { AccountUnit } from '../../../storage/ports.ts'
import { maySendAs } from '../../mail/identity/identity.handlers.ts'
import { type SetError, setError } from '../../protocol/errors.ts'
import type { EndingSet, WriteContext } from '../../type/handlers.ts'
import { objectHandlers } from '../../type/object-handlers.ts'
import { listStored, updateStored } from '../../type/object-store.ts'
import { reportServerSet } from '../../type/report-server-set.ts'
import { mailAddressOf } from '../event/own-addresses.ts'
import { ParticipantIdentity } from './participant-identity.type.ts'

export const participantIdentityHandlers = objectHandlers(ParticipantIdentity, {
  async create({ unit }, input) {
    const others = await listStored(unit, unit.account, ParticipantIdentity)
    if (others.length >= MAX_PARTICIPANT_IDENTITIES)
      return {
        error: setError('overQuota', `An account has at most ${MAX_PARTICIPANT_IDENTITIES} participant identities.`),
      }
    const error = await addressError(unit, input.calendarAddress)
    return error ? { error } : { stored: { ...input, isDefault: others.length === 0 } }
  },

  async update({ unit }, _number, { next, changed }) {
    const error = changed.includes('calendarAddress') ? await addressError(unit, next.calendarAddress) : null
    return error ? { error } : { stored: next }
  },

  async destroy({ unit }, number, { isDefault }) {
    const others = (await listStored(unit, unit.account, ParticipantIdentity)).filter(({ id }) => id !== number)
    if (others.length === 0) return setError('forbidden', 'An account has at least one participant identity.')
    const [next] = others
    // JMAP Calendars 3: one identity should be the default.
    if (isDefault && next)
      await updateStored(unit, ParticipantIdentity, { ...next, data: { ...next.data, isDefault: true } }, ['isDefault'])
    return null
  },

  finish: setDefault,
})

/** JMAP Calendars 3.3: only addresses of the account. */
async function addressError(unit: AccountUnit, calendarAddress: string): Promise<SetError | null> {
  const address = mailAddressOf(calendarAddress)
  const isOwn = address !== null && (await maySendAs(unit, unit.account, address))
  return isOwn ? null : setError('forbidden', 'calendarAddress is a mailto: URI of an address of this account.')
}

/** JMAP Calendars 3.3: if no record was refused. An id that does not exist is ignored. */
async function setDefault(
  { unit, method, args }: WriteContext<typeof ParticipantIdentity>,
  set: EndingSet,
): Promise<void> {
  const wanted = args.onSuccessSetIsDefault
  if (wanted === null || !set.isWhole) return
  const number = method.number(ParticipantIdentity, set.resolve(wanted))
  const identities = await listStored(unit, unit.account, ParticipantIdentity)
  if (!identities.some(({ id }) => id === number)) return
  for (const { id, data } of identities) {
    const isDefault = id === number
    if (data.isDefault === isDefault) continue
    await updateStored(unit, ParticipantIdentity, { id, data: { ...data, isDefault } }, ['isDefault'])
    reportServerSet(set, method.id(ParticipantIdentity, id), { isDefault })
  }
}

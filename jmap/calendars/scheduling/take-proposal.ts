/** COUNTER, DECLINECOUNTER and REFRESH (RFC 5546 3.2.6 to 3.2.8) are shown to the owner and change nothing. Pure. */
import type { JsonObject } from '../../../server/base/json.ts'
import { getOwn } from '../../protocol/json-object.ts'
import { type Decision, type KnownEvents, nothing } from './decision.ts'
import type { IncomingMessage } from './incoming-message.ts'
import { overridesOf } from './instances.ts'
import { participantsAt } from './own-participants.ts'

export function takeProposal(message: IncomingMessage, { whole, instances }: KnownEvents): Decision {
  const { sender, method, comment } = message
  const stored = whole ?? instances[0] ?? null
  if (stored === null)
    return nothing(`The calendar message ${method.toUpperCase()} has no effect: the event is unknown here.`)
  if (method !== 'declinecounter' && !isInvited(stored.event, sender.address))
    return nothing(`The calendar message ${method.toUpperCase()} has no effect: ${sender.address} is not invited.`)
  const said = saidOf(message)
  return {
    notes: [`${sender.address} ${said}, of which the calendar shows a notice. Nothing is changed.`],
    changes: [],
    notices: [{ about: stored, text: [`${sender.name} ${said}.`, comment].filter(Boolean).join(' ') }],
  }
}

function isInvited(event: JsonObject, address: string): boolean {
  const patches = [{}, ...Object.values(overridesOf(event))]
  return patches.some((patch) => participantsAt(event, patch).some((found) => found.address === address))
}

function saidOf({ method, events }: IncomingMessage): string {
  if (method === 'refresh') return 'asks for the current version of the event'
  if (method === 'declinecounter') return 'declines the proposal of another time'
  const [proposal = {}] = events
  const start = getOwn(proposal, 'start')
  const zone = getOwn(proposal, 'timeZone')
  if (typeof start !== 'string') return 'proposes a change of the event'
  return `proposes ${start.replace('T', ' ')}${typeof zone === 'string' ? ` (${zone})` : ''}`
}

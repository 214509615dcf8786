/** Participants of events by their mail addresses, and which of them are the owner of the mailbox. */
import type { Json, JsonObject } from '../../../server/base/json.ts'
import type { Reader } from '../../../storage/ports.ts'
import { addressesOf } from '../../../storage/repos/directory.ts'
import { baseAddress, normaliseAddress } from '../../message/mail-address.ts'
import { getOwn, isObject } from '../../protocol/json-object.ts'
import { mailAddressOf } from '../event/own-addresses.ts'
import type { PatchObject } from '../jscalendar/event.ts'

/** Whether a normalised mail address is the owner's. */
export type IsOwn = (address: string | null) => boolean

/**
 * The addresses of an account, with those that have a tag, read once.
 * @param recipient the address that led a message here: of a catch-all it may be any
 */
export async function ownAddresses(reader: Reader, account: number, recipient: string): Promise<IsOwn> {
  const own = new Set((await addressesOf(reader, account)).map(({ address }) => address))
  const reached = normaliseAddress(recipient)
  if (reached !== null) own.add(reached)
  return (address) => address !== null && (own.has(address) || own.has(baseAddress(address)))
}

/** The normalised mail address of a participant or an organizer. */
export function addressOf(calendarAddress: Json | undefined): string | null {
  return typeof calendarAddress === 'string' ? mailAddressOf(calendarAddress) : null
}

export function organizerOf(event: JsonObject): string | null {
  return addressOf(getOwn(event, 'organizerCalendarAddress'))
}

export interface Found {
  readonly id: string
  readonly address: string
  readonly participant: JsonObject
}

/** The participants of an event that have a mail address. */
export function participantsOf(event: JsonObject): Found[] {
  const participants = getOwn(event, 'participants')
  return isObject(participants) ? foundIn(Object.entries(participants)) : []
}

function foundIn(entries: readonly (readonly [string, Json])[]): Found[] {
  return entries.flatMap(([id, participant]) => {
    const address = isObject(participant) ? addressOf(getOwn(participant, 'calendarAddress')) : null
    return isObject(participant) && address !== null ? [{ id, address, participant }] : []
  })
}

/** Participants of an instance, as an override leaves, replaces and adds them. Patches inside of a participant are not applied. */
export function participantsAt(event: JsonObject, patch: PatchObject): Found[] {
  const replaced = getOwn(patch, 'participants')
  if (replaced !== undefined) return participantsOf({ participants: replaced })
  const whole = Object.entries(patch).flatMap(([path, value]): [string, Json][] => {
    const [name, id, ...deeper] = path.split('/')
    return name === 'participants' && id !== undefined && deeper.length === 0 ? [[id, value]] : []
  })
  const changed = new Set(whole.map(([id]) => id))
  return [...participantsOf(event).filter(({ id }) => !changed.has(id)), ...foundIn(whole)]
}

export function participantWith(event: JsonObject, address: string): Found | null {
  return participantsOf(event).find((found) => found.address === address) ?? null
}

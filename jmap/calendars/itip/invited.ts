/** Who is invited to an event: to all of it, and to which instances. */
import type { Json, JsonObject } from '../../../server/base/json.ts'
import { getOwn, isObject } from '../../protocol/json-object.ts'
import { instanceEvent } from '../icalendar/instance.ts'
import { producer } from '../icalendar/series-dates.ts'
import type { Event, PatchObject } from '../jscalendar/event.ts'
import { isExcluded } from '../jscalendar/overrides.ts'
import { mailAddressOf } from './calendar-address.ts'

/** Participant objects by mail address, without the account's own. */
export type Guests = ReadonlyMap<string, JsonObject>

export class Invited {
  readonly event: Event
  /** Those invited to the whole event. */
  readonly series: Guests
  readonly overrides: { readonly [recurrenceId: string]: PatchObject }
  readonly #own: ReadonlySet<string>
  readonly #instances = new Map<string, Guests | null>()
  #producer: ((recurrenceId: string) => boolean) | null = null
  #without: ReadonlyMap<string, readonly string[]> | null = null

  constructor(event: Event, own: ReadonlySet<string>) {
    this.event = event
    this.#own = own
    this.series = guestsIn(event.participants, own)
    this.overrides = event.recurrenceOverrides ?? {}
  }

  /** The guests of an instance; null: there is none, or it does not take place. */
  instance(recurrenceId: string): Guests | null {
    const known = this.#instances.get(recurrenceId)
    if (known !== undefined) return known
    const guests = this.#guestsAt(recurrenceId)
    this.#instances.set(recurrenceId, guests)
    return guests
  }

  /** Instances to which somebody is invited by an override. */
  ownInstances(address: string): string[] {
    return Object.keys(this.overrides).filter((id) => this.instance(id)?.has(address))
  }

  /** Instances that take place without somebody who is invited to the whole event. */
  without(address: string): readonly string[] {
    this.#without ??= this.#absences()
    return this.#without.get(address) ?? []
  }

  /** Whether the rule makes an instance there. */
  produces(recurrenceId: string): boolean {
    const { start, timeZone = null, recurrenceRule: rule } = this.event
    this.#producer ??= rule ? producer({ start, timeZone, rule }) : (id) => id === start
    return this.#producer(recurrenceId)
  }

  /** All who are invited to anything. */
  everybody(): Set<string> {
    const all = new Set(this.series.keys())
    for (const id of Object.keys(this.overrides)) {
      const guests = this.instance(id)
      if (guests && guests !== this.series) for (const address of guests.keys()) all.add(address)
    }
    return all
  }

  #absences(): Map<string, string[]> {
    const absences = new Map<string, string[]>()
    for (const id of Object.keys(this.overrides)) {
      const guests = this.instance(id)
      if (!guests || guests === this.series) continue
      for (const address of this.series.keys()) {
        if (guests.has(address)) continue
        const ids = absences.get(address) ?? []
        absences.set(address, ids)
        ids.push(id)
      }
    }
    return absences
  }

  #guestsAt(recurrenceId: string): Guests | null {
    const patch = getOwn(this.overrides, recurrenceId)
    if (!isObject(patch)) return this.produces(recurrenceId) ? this.series : null
    if (isExcluded(patch)) return null
    if (!Object.keys(patch).some((path) => path === 'status' || isOfParticipants(path))) return this.series
    const instance = instanceEvent(this.event, recurrenceId)
    if (!instance || instance['status'] === 'cancelled') return null
    return guestsIn(instance['participants'], this.#own)
  }
}

/** RFC 6047 2.3: those with a mail address. `scheduleAgent`: clients that send themselves say so (RFC 8984 4.4.6). */
function guestsIn(participants: Json | Event['participants'], own: ReadonlySet<string>): Guests {
  const guests = new Map<string, JsonObject>()
  for (const participant of Object.values(isObject(participants) ? participants : {})) {
    if (!isObject(participant)) continue
    const address = addressOf(participant)
    if (address !== null && !own.has(address) && isServed(participant)) guests.set(address, participant)
  }
  return guests
}

/** Instances share the Participant objects that their overrides do not change. */
const addresses = new WeakMap<JsonObject, string | null>()

function addressOf(participant: JsonObject): string | null {
  const known = addresses.get(participant)
  if (known !== undefined) return known
  const address = mailAddressOf(textOf(participant['calendarAddress']))
  addresses.set(participant, address)
  return address
}

export function isServed({ scheduleAgent }: JsonObject): boolean {
  return scheduleAgent === undefined || scheduleAgent === 'server'
}

/** Participant objects of an event and of its overrides, some of them in part. */
export function* participantsIn(event: Event): Generator<JsonObject> {
  for (const participant of Object.values(event.participants ?? {})) yield participant
  for (const patch of Object.values(event.recurrenceOverrides ?? {})) {
    for (const [path, value] of Object.entries(patch)) {
      if (path === 'participants' && isObject(value)) yield* Object.values(value).filter(isObject)
      else if (!isOfParticipants(path)) continue
      else if (isObject(value)) yield value
      else if (path.endsWith('/calendarAddress')) yield { calendarAddress: value }
    }
  }
}

export function isOfParticipants(path: string): boolean {
  return path === 'participants' || path.startsWith('participants/')
}

/** The participant with a mail address, with their id; null: there is none. */
export function participantOf({ participants }: { readonly participants?: unknown }, address: string) {
  for (const id of Object.keys(isObject(participants) ? participants : {})) {
    const participant = isObject(participants) ? getOwn(participants, id) : null
    if (isObject(participant) && mailAddressOf(textOf(participant['calendarAddress'])) === address)
      return { id, participant }
  }
  return null
}

export function textOf(value: Json | undefined): string | null {
  return typeof value === 'string' ? value : null
}

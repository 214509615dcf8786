/**
 * A stored event with the pieces that begin at its changes of "this and future" instances (RFC 5546 3.2.2, RFC 5545 3.8.4.4), as messages name
 * its instances: by one UID, and by the recurrence ids that the series had at first. Pure.
 */

import { SPLIT_MAX_COMPARED_MEMBERS } from '../../../server/base/calendar-data-limits.ts'
import { ICALENDAR_MAX_SPLITS } from '../../../server/base/icalendar-limits.ts'
import type { JsonObject } from '../../../server/base/json.ts'
import { getOwn } from '../../protocol/json-object.ts'
import type { StoredEvent } from '../event/stored-event.ts'
import { instantOfLocal, isTimeZone, localOfInstant } from '../event/wall-time.ts'
import { Comparisons } from '../icalendar/comparisons.ts'
import { ICalendarError } from '../icalendar/faults.ts'
import { patched } from '../icalendar/instance.ts'
import { fromMs, toMs } from '../icalendar/local-time.ts'
import { isDateForm } from '../icalendar/read-times.ts'
import { Expansions } from '../icalendar/series-dates.ts'
import { withoutInstance, withoutSeries } from '../icalendar/series-notes.ts'
import { changedFromStart, maySplit, splitAt } from '../icalendar/split-series.ts'
import { firstIdOf, idInPiece } from '../icalendar/this-and-future.ts'
import { formatLocal, parseLocal } from '../jscalendar/date-times.ts'
import type { KnownEvents, WantedChange } from './decision.ts'
import { Instances, recurrenceIdIn } from './instances.ts'
import type { IsOwn } from './own-participants.ts'
import { requestedEvent } from './requested-event.ts'
import { compareVersions, versionOf } from './versions.ts'

/** One of the events; `event` is as a message changes it. */
export interface Piece {
  /** null: it is new. */
  readonly before: StoredEvent | null
  event: JsonObject
}

/** An instance that a message names. */
export interface NamedInstance {
  readonly piece: Piece
  /** As the message names it, in the zone of the series. */
  readonly key: string
  /** In the piece. */
  readonly recurrenceId: string
}

export class SplitEvent {
  readonly #first: StoredEvent
  #pieces: readonly Piece[]
  /** For all changes of one message. */
  readonly #costs = { expansions: new Expansions(), comparisons: new Comparisons(SPLIT_MAX_COMPARED_MEMBERS) }

  constructor(whole: StoredEvent, { rest }: Pick<KnownEvents, 'rest'>) {
    this.#first = whole
    this.#pieces = [whole, ...rest].map((before) => ({ before, event: before.event }))
  }

  /** The instance that the RECURRENCE-ID of an event names; null: none. */
  find(instance: JsonObject): NamedInstance | null {
    const [first] = this.#pieces
    if (!first) return null
    const key = recurrenceIdIn({ ...first.event, start: keyOf(first.event) }, instance)
    if (key === null) return null
    const piece = this.#pieces.findLast(({ event }) => keyOf(event) <= key) ?? first
    return { piece, key, recurrenceId: idInPiece(piece.event, key) }
  }

  /** The pieces that begin later than an instance. */
  after({ piece }: NamedInstance): readonly Piece[] {
    return this.#pieces.slice(this.#pieces.indexOf(piece) + 1)
  }

  /** Changes an instance and all that follow. @returns false: the rule of the series cannot go on from there; nothing is changed */
  changeFrom(named: NamedInstance, message: JsonObject, isOwn: IsOwn): boolean {
    const event = inZone(withoutInstance(message), getOwn(named.piece.event, 'timeZone'))
    const change = new FollowingChange(event, isOwn, this.#costs)
    try {
      const pieces = change.split(named)
      if (pieces === null || this.#pieces.length > ICALENDAR_MAX_SPLITS) return false
      const at = this.#pieces.indexOf(named.piece)
      const later = this.#pieces.slice(at + 1).map((piece) => change.ofLater(piece, named.key))
      this.#pieces = [...this.#pieces.slice(0, at), ...pieces, ...later]
      return true
    } catch (error) {
      if (error instanceof ICalendarError) return false
      throw error
    }
  }

  /** What is to be written. */
  changes(): WantedChange[] {
    return this.#pieces
      .filter(({ before, event }) => event !== before?.event)
      .map(({ before, event }) => ({ before, event, beside: this.#first }))
  }
}

/** The recurrence id with which a piece begins, as messages name it. */
function keyOf(event: JsonObject): string {
  return firstIdOf(event) ?? String(getOwn(event, 'start'))
}

/** A change of all instances from one on. */
class FollowingChange {
  readonly #event: JsonObject
  readonly #isOwn: IsOwn
  readonly #expansions: Expansions
  readonly #comparisons: Comparisons

  /** @param event the first of the instances as it is to be */
  constructor(
    event: JsonObject,
    isOwn: IsOwn,
    { expansions, comparisons }: { readonly expansions: Expansions; readonly comparisons: Comparisons },
  ) {
    this.#event = event
    this.#isOwn = isOwn
    this.#expansions = expansions
    this.#comparisons = comparisons
  }

  /** A piece cut in two, or changed from its start; null: its rule cannot go on. @throws ICalendarError */
  split({ piece, key, recurrenceId }: NamedInstance): Piece[] | null {
    const { before, event } = piece
    const change = { key: recurrenceId, event: this.#event }
    if (!maySplit(event, change, this.#expansions) || !new Instances(event).isProduced(recurrenceId)) return null
    if (recurrenceId === getOwn(event, 'start')) return [{ before, event: this.#fromStart(event, this.#event) }]
    const isDate = isDateForm(event)
    const [head, tail] = splitAt(event, isDate, { key, event: this.#event }, this.#comparisons)
    // What the owner has of these instances: their answer, alerts and colour.
    const same = patched(withoutSeries(event), recurrenceId, {})
    const [, unchanged] = splitAt(event, isDate, { key, event: same }, this.#comparisons)
    return [
      { before, event: head },
      { before: null, event: requestedEvent(tail, unchanged, this.#isOwn) },
    ]
  }

  /** RFC 5545 3.8.4.4: later instances move by the same difference, unless a newer message has changed them. @throws ICalendarError */
  ofLater(piece: Piece, from: string): Piece {
    const { before, event } = piece
    const start = fromMs(toMs(keyOf(event)) + toMs(String(this.#event['start'])) - toMs(from))
    const change = { key: String(event['start']), event: { ...this.#event, start } }
    const isNewer = compareVersions(versionOf(event), versionOf(this.#event)) >= 0
    if (isNewer || !maySplit(event, change, this.#expansions)) return piece
    return { before, event: this.#fromStart(event, change.event) }
  }

  #fromStart(piece: JsonObject, event: JsonObject): JsonObject {
    return requestedEvent(changedFromStart(piece, event, this.#comparisons), piece, this.#isOwn)
  }
}

/** With its start in the zone of the series, if it is written in another. */
function inZone(event: JsonObject, zone: JsonObject[string] | undefined): JsonObject {
  const { start, timeZone, endTimeZone } = event
  const local = typeof start === 'string' ? parseLocal(start) : null
  if (typeof zone !== 'string' || typeof timeZone !== 'string' || local === null) return event
  if (zone === timeZone || endTimeZone !== undefined || !isTimeZone(zone) || !isTimeZone(timeZone)) return event
  return { ...event, start: formatLocal(localOfInstant(instantOfLocal(local, timeZone), zone)), timeZone: zone }
}

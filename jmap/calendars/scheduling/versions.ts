/** Which of two versions of an event is newer: RFC 5546 2.1.5. Pure. */
import type { JsonObject } from '../../../server/base/json.ts'
import { getOwn } from '../../protocol/json-object.ts'

export interface Version {
  readonly sequence: number
  /** DTSTAMP: UTCDateTime; empty: unknown. */
  readonly stamp: string
}

/** @param inherited what counts where an override says nothing */
export function versionOf(event: JsonObject, inherited: Version = { sequence: 0, stamp: '' }): Version {
  const sequence = getOwn(event, 'sequence')
  const updated = getOwn(event, 'updated')
  return {
    sequence: typeof sequence === 'number' ? sequence : inherited.sequence,
    stamp: typeof updated === 'string' ? updated : inherited.stamp,
  }
}

/** Negative: `a` is older; 0: they are the same. The higher SEQUENCE counts, then the later DTSTAMP. */
export function compareVersions(a: Version, b: Version): number {
  if (a.sequence !== b.sequence) return a.sequence - b.sequence
  return a.stamp === b.stamp ? 0 : a.stamp < b.stamp ? -1 : 1
}

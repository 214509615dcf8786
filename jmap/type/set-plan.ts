/**
 * Types whose objects depend on one another (unique names, parents, roles): the records of a /set are judged in memory, by the state
 * that they lead to together (RFC 8620 5.3), and written when all are judged.
 */
import type { SetError } from '../protocol/errors.ts'

/** A state in memory, and what may not be in it. */
export interface Judge<R> {
  /** Takes a record into the state. It is not judged yet. */
  make(record: R): void
  /** Takes it out again. */
  undo(record: R): void
  /**
   * What a record that was made does wrong in the state as it is. Of two that cannot both be, the one that was made later is wrong.
   * When no record is wrong, the state is right.
   */
  faultOf(record: R): SetError | null
}

export interface Settled<R> {
  readonly made: readonly R[]
  readonly refused: readonly (readonly [R, SetError])[]
}

/** Rounds of one kind, so that the work stays within bounds. A final state that is right needs two. */
const ROUNDS_MAX = 10

/**
 * RFC 8620 5.3: if the final state is right, all records are made, whatever states lie between. Otherwise each is made that is right
 * by itself after the others.
 */
export function settle<R>(judge: Judge<R>, records: readonly R[]): Settled<R> {
  const made: R[] = []
  const waiting = inRounds(records, (rest) => makeTogether(judge, makeAlone(judge, rest, made), made))
  return { made, refused: waiting.map((record) => [record, faultAlone(judge, record)!]) }
}

/** Repeats as long as records are made. @param round returns those that are not */
function inRounds<R>(records: readonly R[], round: (rest: readonly R[]) => readonly R[]): readonly R[] {
  let waiting = records
  for (let rounds = 0, before = -1; rounds < ROUNDS_MAX && waiting.length !== before; rounds++) {
    before = waiting.length
    waiting = round(waiting)
  }
  return waiting
}

/** Makes records that are right by themselves. @returns the others */
function makeAlone<R>(judge: Judge<R>, records: readonly R[], made: R[]): readonly R[] {
  const isWrong = (record: R) => {
    judge.make(record)
    if (judge.faultOf(record) === null) {
      made.push(record)
      return false
    }
    judge.undo(record)
    return true
  }
  return inRounds(records, (rest) => rest.filter(isWrong))
}

/** Such as two records that swap their names: neither can be first, both together are right. @returns those that are not made */
function makeTogether<R>(judge: Judge<R>, records: readonly R[], made: R[]): readonly R[] {
  let kept = records
  for (const record of kept) judge.make(record)
  for (let round = 0; round < ROUNDS_MAX; round++) {
    const wrong = new Set(kept.filter((record) => judge.faultOf(record)))
    for (const record of wrong) judge.undo(record)
    kept = kept.filter((record) => !wrong.has(record))
    if (wrong.size > 0) continue
    made.push(...kept)
    const done = new Set(kept)
    return records.filter((record) => !done.has(record))
  }
  for (const record of kept) judge.undo(record)
  return records
}

function faultAlone<R>(judge: Judge<R>, record: R): SetError | null {
  judge.make(record)
  const fault = judge.faultOf(record)
  judge.undo(record)
  return fault
}

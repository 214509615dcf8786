/**
 * One run of a request with an Idempotency-Key. Its rounds of calls come in the same order for the same input and the same answers. When
 * an earlier run was cut off, the rounds before the last one that changed something return their earlier answers. That last round is
 * made again under its number, so that the core recognises it and changes nothing twice.
 */

import type { IdempotencySlot, NewRun } from '../../jmap/idempotency.ts'
import { isObject } from '../../jmap/protocol/json-object.ts'
import type { Json, JsonObject } from '../../server/base/json.ts'
import { methodErrorOf, type RoundAnswers, type RunRound } from '../calls/jmap-client.ts'

export class KeyedRun {
  /** Epoch ms of the first start of the request. Every run of it uses this as the present time. */
  readonly begunAt: number
  readonly #lease: string
  readonly #slot: IdempotencySlot
  readonly #lastRound: number
  /** Answers by round; null: none. */
  readonly #past: (RoundAnswers | null)[]
  #round = 0

  constructor(slot: IdempotencySlot, begun: Pick<NewRun, 'lease' | 'begunAt' | 'lastRound' | 'past'>) {
    this.#slot = slot
    this.begunAt = begun.begunAt
    this.#lease = begun.lease
    this.#lastRound = begun.lastRound ?? -1
    this.#past = begun.past.map((answers) => (isRoundAnswers(answers) ? answers : null))
  }

  /** Whether this run has passed the rounds of earlier runs, so that its result does not depend on changes since then. */
  get isAnew(): boolean {
    return this.#round > this.#lastRound
  }

  /** Rounds that are made at once are numbered in the order of the calls of this function. */
  readonly runRound: RunRound = async (make) => {
    const round = this.#round++
    const known = this.#past[round]
    if (known) return known
    const { organization, name } = this.#slot
    const past = Array.from({ length: round }, (_, i) => this.#past[i] ?? null)
    const answers = await make({
      organization,
      name,
      lease: this.#lease,
      round,
      past,
      isRepeated: round <= this.#lastRound,
    })
    if (!Object.values(answers).some(isUnfinished)) this.#past[round] = answers
    return answers
  }
}

/** Whether a call, or its record, may succeed when repeated: then the next run repeats the round. */
function isUnfinished(answer: JsonObject): boolean {
  const refused = isObject(answer['notCreated']) ? Object.values(answer['notCreated']) : []
  return [methodErrorOf(answer), ...refused].some((error) => isObject(error) && PASSING.has(error['type']))
}

const PASSING = new Set<Json | undefined>(['serverUnavailable', 'serverFail', 'serverPartialFail'])

function isRoundAnswers(json: Json): json is RoundAnswers {
  return isObject(json) && Object.values(json).every(isObject)
}

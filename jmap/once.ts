/**
 * Effects that must come about once, though the request that wants them is sent again after a crash (decision D2): each unit of
 * work writes down, with its effect, what it came to. Whoever runs the request anew is told that instead of doing it again. The
 * caller must ask for the same things in the same order: rest/idempotency/keyed-run.ts sees to it.
 */
import type { Keyring, SecretPlace } from '../server/base/keyring.ts'
import type { Reader } from '../storage/ports.ts'
import { findStep, hasRound, insertStep, type SlotKey, type StepKey } from '../storage/repos/idempotency-steps.ts'
import type { Json } from './protocol/json.ts'

/** Which request it is, and how far. Plain data. */
export interface Once {
  /** Account number of the organization. */
  readonly organization: number
  /** Name of the slot (jmap/idempotency.ts). */
  readonly name: string
  /** How many rounds of calls the request has made before this one. */
  readonly round: number
  /** What those were answered. */
  readonly past: readonly Json[]
}

/** Answers hold messages, keys and secrets that are told once: they are stored sealed. */
export function placeOf({ organization, name }: SlotKey): SecretPlace {
  return { purpose: 'answer', tenant: organization, row: name }
}

/** The units of work of one round, in their order. */
export class OnceRound {
  readonly #once: Once
  readonly #keyring: Keyring
  #steps = 0

  constructor(once: Once, keyring: Keyring) {
    this.#once = once
    this.#keyring = keyring
  }

  /** To be taken before the unit of work begins, which may run several times. */
  next(): OnceStep {
    return new OnceStep(this.#once, this.#steps++, this.#keyring)
  }
}

export class OnceStep {
  readonly #once: Once
  readonly #key: StepKey
  readonly #keyring: Keyring

  constructor(once: Once, step: number, keyring: Keyring) {
    const { organization, name, round } = once
    this.#once = once
    this.#key = { organization, name, round, step }
    this.#keyring = keyring
  }

  /** What it came to, if it was done. */
  async recall<T>({ sql }: Reader): Promise<T | null> {
    const sealed = await findStep(sql, this.#key)
    return sealed === null ? null : (JSON.parse(this.#keyring.open(sealed, placeOf(this.#key))) as T)
  }

  /** @param unit of work that has the effect */
  async keep({ sql }: Reader, outcome: object): Promise<void> {
    // The first that is kept of a round tells it: steps before it may have been refused.
    const past = (await hasRound(sql, this.#key)) ? null : this.#seal(this.#once.past)
    await insertStep(sql, { ...this.#key, past, outcome: this.#seal(outcome) })
  }

  #seal(value: object): string {
    return this.#keyring.seal(JSON.stringify(value), placeOf(this.#key))
  }
}

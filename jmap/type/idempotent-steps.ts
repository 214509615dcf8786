/**
 * Effects that must happen once although the request is repeated after a crash (decision D2). Each unit of work records its outcome in
 * the same transaction as its effect; a repeated request reads the recorded outcome and does not write again. The caller must make the
 * same calls in the same order (rest/idempotency/keyed-run.ts).
 */
import type { Json } from '../../server/base/json.ts'
import type { Keyring, SecretPlace } from '../../server/base/keyring.ts'
import type { Reader } from '../../storage/ports.ts'
import { holdsSlot } from '../../storage/repos/idempotency.ts'
import { findStep, hasRound, insertStep, type SlotKey, type StepKey } from '../../storage/repos/idempotency-steps.ts'
import { MethodError } from '../protocol/method-error.ts'

/** Identifies the request and how far it has come. Plain data. */
export interface IdempotentSteps {
  /** Account number of the organization. */
  readonly organization: number
  /** Name of the slot (jmap/idempotency.ts). */
  readonly name: string
  /** The lease of the run: the fencing token of its effects. */
  readonly lease: string
  /** Rounds of calls that the request has made before this one. */
  readonly round: number
  /** Responses of those rounds. */
  readonly past: readonly Json[]
  /** Whether an earlier run of the request got as far as this round, so that its effects may be recorded. */
  readonly isRepeated: boolean
}

/** Responses hold messages, keys and secrets that are shown once, so they are stored sealed. */
export function placeOf({ organization, name }: SlotKey): SecretPlace {
  return { purpose: 'answer', tenant: organization, row: name }
}

/** The units of work of one round, in order. */
export class StepSequence {
  readonly #steps: IdempotentSteps
  readonly #keyring: Keyring
  #count = 0

  constructor(steps: IdempotentSteps, keyring: Keyring) {
    this.#steps = steps
    this.#keyring = keyring
  }

  /** Whether effects of this round may be recorded. */
  get isRepeated(): boolean {
    return this.#steps.isRepeated
  }

  /** Must be called before the unit of work starts, because that may run several times. */
  next(): IdempotentStep {
    return new IdempotentStep(this.#steps, this.#count++, this.#keyring)
  }
}

export class IdempotentStep {
  readonly #steps: IdempotentSteps
  readonly #key: StepKey
  readonly #lease: string
  readonly #keyring: Keyring

  constructor(steps: IdempotentSteps, step: number, keyring: Keyring) {
    const { organization, name, lease, round } = steps
    this.#steps = steps
    this.#lease = lease
    this.#key = { organization, name, round, step }
    this.#keyring = keyring
  }

  /** Whether it may be recorded. */
  get isRepeated(): boolean {
    return this.#steps.isRepeated
  }

  /** The recorded outcome; null: the step has not been done. `T` is the type that `keep` got. */
  async recall<T>({ sql }: Reader): Promise<T | null> {
    const sealed = await findStep(sql, this.#key)
    return sealed === null ? null : (JSON.parse(this.#keyring.open(sealed, placeOf(this.#key))) as T)
  }

  /**
   * @param unit the unit of work that has the effect
   * @throws MethodError when another run has taken over the request: it may have finished, and then its steps are deleted
   */
  async keep({ sql }: Reader, outcome: object): Promise<void> {
    if (!(await holdsSlot(sql, { ...this.#key, lease: this.#lease })))
      throw new MethodError('serverUnavailable', 'Another run of this request goes on.')
    // The first recorded step of a round holds the responses of earlier rounds. Steps before it may have been refused.
    const past = (await hasRound(sql, this.#key)) ? null : this.#seal(this.#steps.past)
    await insertStep(sql, { ...this.#key, past, outcome: this.#seal(outcome) })
  }

  #seal(value: object): string {
    return this.#keyring.seal(JSON.stringify(value), placeOf(this.#key))
  }
}

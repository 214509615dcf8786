/** Calls that run where their arguments say: here, in a reading thread, or where the writer is. */

import type { AnyCall, CoreParts, Service } from '../../jmap/service.ts'
import { runHere } from '../../jmap/services.ts'
import type { Clock } from '../base/clock.ts'
import { isFailure } from '../base/errors.ts'
import type { Guard, WaitingClient } from '../base/guard.ts'
import type { Principal } from '../base/principal.ts'
import type { UnsentAnswers } from '../base/unsent-answers.ts'
import { DivertedRequests } from './diverted-requests.ts'
import { HereGuard } from './here-guard.ts'
import { holdAnswer } from './hold-answer.ts'
import { detachArguments } from './octets.ts'
import type { Readers } from './readers.ts'
import type { TurnQueue } from './turn-queue.ts'

type PlacedService = Extract<Service, { readonly access: 'placed' }>

export class PlacedCalls {
  readonly #readers: Readers | null
  readonly #unsent: UnsentAnswers
  readonly #writesHere: boolean
  readonly #diverted: DivertedRequests
  readonly #turns: TurnQueue

  /**
   * @param readers null: their calls run in this thread
   * @param turns of this thread
   * @param writesHere the writer is in this thread
   */
  constructor(readers: Readers | null, unsent: UnsentAnswers, turns: TurnQueue, clock: Clock, writesHere: boolean) {
    this.#readers = readers
    this.#unsent = unsent
    this.#turns = turns
    this.#writesHere = writesHere
    this.#diverted = new DivertedRequests(clock)
  }

  /** @param write runs the call where the writer is */
  callOf(service: PlacedService, path: string, parts: CoreParts, write: AnyCall): AnyCall {
    const { guardAt, transfer } = service
    const run = runHere(service, parts)
    const place = service.place as (parts: CoreParts, ...args: unknown[]) => ReturnType<typeof service.place>
    return (...all) => {
      const args = all.slice(0, guardAt)
      // Optional arguments that were left out have their place nevertheless.
      while (args.length < guardAt) args.push(undefined)
      const client = all[guardAt] as WaitingClient | undefined
      const placement = place(parts, ...args)
      if (placement === 'writer' || (placement === 'unparsed' && !this.#writesHere)) return write(...args)
      const readers = this.#readers
      if (readers === null) return run(...args, client)
      const { credential } = args[0] as Principal
      const readElsewhere = () => {
        const runsOn = placement === 'both' || placement === 'unparsed'
        const restartsLarge = client?.restartsLarge === true && !runsOn
        const call = { path, detach: () => detachArguments(args, transfer), restartsLarge, isBulky: false }
        return readers.run(call, credential, client, runsOn)
      }
      if (typeof placement === 'string' || (!placement.isLittle && this.#diverted.includes(credential, placement.kind)))
        return readElsewhere()
      // It waits there until its client has read what it has.
      if (!this.#unsent.hasRoom(credential)) return readElsewhere()
      const begin = () => runGuarded(placement.run, client)
      const hasBegun = client?.hasBegun
      return (this.#turns.isFull(hasBegun) ? this.#turns.wait(credential, hasBegun).then(begin) : begin()).then(
        (value: unknown) => {
          holdAnswer(this.#unsent, credential, client, value)
          return value
        },
        (error: unknown) => {
          if (!isFailure(error, 'diverted')) throw error
          this.#diverted.add(credential, placement.kind)
          return readElsewhere()
        },
      )
    }
  }
}

async function runGuarded<T>(run: (guard: Guard) => Promise<T>, client: WaitingClient | undefined): Promise<T> {
  const guard = new HereGuard(client)
  try {
    return await run(guard)
  } finally {
    guard.end()
  }
}

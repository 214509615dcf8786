/** Calls that run where their arguments say: here, in a reading thread, or where the writer is. */
import { type AnyCall, type CoreParts, runHere, type Service } from '../../jmap/services.ts'
import type { Clock } from '../base/clock.ts'
import { isFailure } from '../base/errors.ts'
import { forgetOldest } from '../base/forget-oldest.ts'
import type { Guard, WaitingClient } from '../base/guard.ts'
import type { Principal } from '../base/principal.ts'
import { DIVERTED_MAX, DIVERTED_MS } from '../base/reading-limits.ts'
import { HereGuard } from './here-guard.ts'
import { detachArguments } from './octets.ts'
import type { Readers } from './readers.ts'

type PlacedService = Extract<Service, { readonly access: 'placed' }>

export class PlacedCalls {
  readonly #readers: Readers | null
  readonly #clock: Clock
  /** When a request of the credential was diverted last. */
  readonly #diverted = new Map<string, number>()

  /** @param readers null: their calls run in this thread */
  constructor(readers: Readers | null, clock: Clock) {
    this.#readers = readers
    this.#clock = clock
  }

  /** @param write runs the call where the writer is */
  callOf(service: PlacedService, path: string, parts: CoreParts, write: AnyCall): AnyCall {
    const { guardAt, transfer } = service
    const run = runHere(service, parts)
    const place = service.place as (parts: CoreParts, ...args: unknown[]) => ReturnType<typeof service.place>
    return (...all) => {
      const args = Array.from({ length: guardAt }, (_, i) => all[i])
      const client = all[guardAt] as WaitingClient | undefined
      const placement = place(parts, ...args)
      if (placement === 'writer') return write(...args)
      const readers = this.#readers
      if (readers === null) return run(...args, client)
      const { credential } = args[0] as Principal
      const readElsewhere = () => {
        const sent = detachArguments(args, transfer)
        return readers.run(
          { path, args: sent.value, transfer: sent.transfer },
          credential,
          client,
          placement === 'both',
        )
      }
      if (typeof placement === 'string' || (!placement.isLittle && this.#wasDiverted(credential)))
        return readElsewhere()
      return runGuarded(placement.run, client).catch((error: unknown) => {
        if (!isFailure(error, 'diverted')) throw error
        this.#noteDiverted(credential)
        return readElsewhere()
      })
    }
  }

  #wasDiverted(credential: string): boolean {
    const at = this.#diverted.get(credential)
    return at !== undefined && this.#clock.now() - at < DIVERTED_MS
  }

  #noteDiverted(credential: string): void {
    this.#diverted.delete(credential)
    this.#diverted.set(credential, this.#clock.now())
    forgetOldest(this.#diverted, DIVERTED_MAX)
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

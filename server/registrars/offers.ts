/** Questions about many names within a bounded time. Answers are reused for a minute, because registrars allow few questions. */
import type { ProviderAnswer, ProviderFault } from '../../jmap/type/provider-answer.ts'
import type { DomainOffer } from '../../jmap/type/registrar-port.ts'
import type { Clock } from '../base/clock.ts'
import { forgetOldest } from '../base/forget-oldest.ts'
import { OFFER_FRESH_MS, OFFERS_REMEMBERED, OFFERS_TOTAL_MS } from '../base/registration-limits.ts'

export class Offers {
  readonly #known = new Map<string, { readonly offer: DomainOffer; readonly at: number }>()
  readonly #clock: Clock
  readonly #concurrency: number
  readonly #ask: (name: string) => Promise<ProviderAnswer<DomainOffer>>

  constructor(clock: Clock, concurrency: number, ask: (name: string) => Promise<ProviderAnswer<DomainOffer>>) {
    this.#clock = clock
    this.#concurrency = concurrency
    this.#ask = ask
  }

  async of(names: readonly string[]): Promise<ProviderAnswer<readonly DomainOffer[]>> {
    const until = this.#clock.now() + OFFERS_TOTAL_MS
    const found = new Map<string, DomainOffer>()
    let fault: ProviderFault | null = null
    const queue = names.values()
    const work = async () => {
      for (const name of queue) {
        // One that is told to wait would only be told so again.
        if (fault?.kind === 'unreachable' || this.#clock.now() >= until) return
        const answer = await this.#one(name)
        if (answer.kind === 'done') found.set(name, answer.value)
        else fault = answer
      }
    }
    await Promise.all(Array.from({ length: this.#concurrency }, work))
    if (found.size === 0 && fault !== null) return fault
    return { kind: 'done', value: names.flatMap((name) => found.get(name) ?? []) }
  }

  /** What is bought is asked anew. */
  forget(name: string): void {
    this.#known.delete(name)
  }

  async #one(name: string): Promise<ProviderAnswer<DomainOffer>> {
    const known = this.#known.get(name)
    if (known && this.#clock.now() - known.at < OFFER_FRESH_MS) return { kind: 'done', value: known.offer }
    const answer = await this.#ask(name)
    if (answer.kind !== 'done') return answer
    this.#known.delete(name)
    this.#known.set(name, { offer: answer.value, at: this.#clock.now() })
    forgetOldest(this.#known, OFFERS_REMEMBERED)
    return answer
  }
}

/** Deletes something in the middle of a request: before a round of its calls, and before and after each of its units of work. */
import type { Core } from '../../jmap/services.ts'
import type { Store } from '../../storage/ports.ts'

export class DeletionRace {
  #at = -1
  #passed = 0
  #remove: (() => Promise<unknown>) | null = null

  /**
   * Runs a request with the deletion at its place number `at`.
   * @returns its answer; null: the request has fewer places
   */
  async run<T>(at: number, remove: () => Promise<unknown>, request: () => Promise<T>): Promise<T | null> {
    this.#at = at
    this.#passed = 0
    this.#remove = remove
    const answer = await request()
    const hasMet = this.#remove === null
    this.#remove = null
    return hasMet ? answer : null
  }

  async #pass(): Promise<void> {
    if (!this.#remove || this.#passed++ !== this.#at) return
    const remove = this.#remove
    // The deletion itself passes here too.
    this.#remove = null
    await remove()
  }

  around(store: Store): Store {
    const write: Store['write'] = async (...args) => {
      await this.#pass()
      const result = await store.write(...args)
      await this.#pass()
      return result
    }
    return new Proxy(store, {
      get: (target, name) => {
        if (name === 'write') return write
        const value = Reflect.get(target, name)
        return typeof value === 'function' ? value.bind(target) : value
      },
    })
  }

  readonly process =
    (core: Core): Core['process'] =>
    async (...args) => {
      await this.#pass()
      return core.process(...args)
    }
}

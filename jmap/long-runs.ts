/** Long work in slices: of each kind one run at a time, and all of them end after their slice when the core closes. */
export class LongRuns {
  readonly #running = new Map<string, Promise<unknown>>()
  #isStopping = false

  /** Starts a run, or joins the one of the same name that is under way. @param work asks `isStopping` between slices */
  run<T>(name: string, work: (isStopping: () => boolean) => Promise<T>): Promise<T> {
    const running = this.#running.get(name) ?? work(() => this.#isStopping).finally(() => this.#running.delete(name))
    this.#running.set(name, running)
    return running as Promise<T>
  }

  /** Resolves when all runs have ended. */
  async stop(): Promise<void> {
    this.#isStopping = true
    await Promise.allSettled(this.#running.values())
  }
}

/** Long work in slices: one run of each kind at a time. When the core closes, each run ends after its slice. */
export class LongRuns {
  readonly #running = new Map<string, Promise<unknown>>()
  #isStopping = false

  /** Starts a run, or joins the running one of the same name. @param work calls `isStopping` between slices */
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

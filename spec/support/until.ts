import { setTimeout as pause } from 'node:timers/promises'

const PAUSE_MS = 20
const TRIES = 250

/** Looks again until it does not throw: for what a server does soon and reports to nobody. */
export async function until<T>(look: () => T | Promise<T>): Promise<T> {
  for (let left = TRIES; ; left--) {
    try {
      return await look()
    } catch (error) {
      if (left === 0) throw error
      await pause(PAUSE_MS)
    }
  }
}

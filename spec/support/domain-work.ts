/** Does what domains need, as the workers do, until nothing more is due. */
import type { Core } from '../../jmap/services.ts'

const STEPS_MAX = 50

/** Resolves with the number of rounds. @throws Error if it does not end */
export async function workOnDomains({
  domainWork,
  domainRecords,
  expiryLetters,
}: Pick<Core, 'domainWork' | 'domainRecords' | 'expiryLetters'>): Promise<number> {
  for (let steps = 0; steps < STEPS_MAX; steps++) {
    let count = 0
    for (const queue of [domainWork, domainRecords, expiryLetters]) {
      const tasks = await queue.claim('test', 10, 60_000)
      for (const task of tasks) await queue.run(task)
      count += tasks.length
    }
    if (count === 0) return steps
  }
  throw new Error('the work does not end')
}

import { Failure } from '../base/errors.ts'
import type { Terminal } from './command.ts'

/**
 * The result of work, unless the process is asked to end before: then what surrounds the work can be put in order.
 * @param words what has become of the work
 * @throws Failure `shuttingDown`
 */
export function unlessStopped<T>({ stopRequested }: Terminal, words: string, work: () => Promise<T>): Promise<T> {
  const stopped = stopRequested.then((): never => {
    throw new Failure('shuttingDown', `it was stopped: ${words}`)
  })
  return Promise.race([work(), stopped])
}

/** Images are decoded one at a time, so that the other threads of the library stay free for files. */
import { IMAGES_WAITING_MAX } from '../../server/base/image-limits.ts'

let last: Promise<unknown> = Promise.resolve()
let waiting = 0

/** null: too many are waiting. @param work never rejects */
export async function oneAtATime<T>(work: () => Promise<T>): Promise<T | null> {
  if (waiting >= IMAGES_WAITING_MAX) return null
  waiting++
  const done = last.then(work)
  last = done
  return done.finally(() => waiting--)
}

/** Kills of a server at points of an import or of an undo, as its rows say: on a slow machine as many come in the middle as on a fast one. */
import { setTimeout as pause } from 'node:timers/promises'
import type { Look } from './look.ts'
import type { ServerProcess } from './process.ts'

/** Messages of the newest import that were read. */
export const PROCESSED = `select coalesce(sum(imported + duplicates + skipped + failed), 0) as count from import_folder
  where import = (select max(id) from import)`
/** Messages that an undo has deleted. */
export const UNDONE =
  "select coalesce(sum(undone), 0) as count from import where status in ('undo_queued', 'undoing', 'undone')"
const UNDER_WAY = 'select count(*) as count from import where due_at is not null'
/** Milliseconds without progress after which it waits no longer: a lease of a dead process on PostgreSQL ends after one minute. */
const PATIENCE_MS = 600_000

interface Work {
  readonly look: Look
  readonly start: () => ServerProcess
  readonly random: () => number
  /** Query of what grows while it works, to `whole`. */
  readonly progress: string
  readonly whole: number
}

/**
 * Starts the server and kills it, again and again, each time at a random point of what is left. Commits take milliseconds, and so does a look
 * at the rows, so kills come at any point of a commit.
 * @returns how many kills came while it was at work; the others came after the end
 */
export async function killAtWork(times: number, { look, start, random, progress, whole }: Work): Promise<number> {
  let middle = 0
  for (let killed = 0; killed < times; killed++) {
    const server = start()
    const first = await look.count(progress)
    const share = Math.max(1, (random() * 1.6 * (whole - first)) / (times - killed + 1))
    const end = Date.now() + PATIENCE_MS
    for (;;) {
      const isOver = (await look.count(UNDER_WAY)) === 0
      const isStuck = Date.now() > end
      if (!isOver && !isStuck && (await look.count(progress)) - first < share) {
        await pause(1)
        continue
      }
      server.child.kill('SIGKILL')
      await server.exited
      if (isStuck) throw new Error(`no progress after ${first} of ${whole} messages`)
      if (!isOver) middle++
      break
    }
  }
  return middle
}

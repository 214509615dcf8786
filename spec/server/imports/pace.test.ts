/** How an import lets other writes go first. */
import t from 'tap'
import type { StateChange } from '../../../jmap/push/state-changes.ts'
import { ManualClock } from '../../../server/base/clock.ts'
import {
  IMPORT_ALONE_MS,
  IMPORT_BATCH_ALONE,
  IMPORT_BATCH_BESIDE,
  IMPORT_WAIT_FACTOR,
  IMPORT_WAIT_MAX_MS,
} from '../../../server/base/import-limits.ts'
import { Pace } from '../../../server/workers/imports/pace.ts'

t.test(
  'beside others commits are small, and each is followed by a pause, the longer the slower it was up to a limit',
  async (t) => {
    const clock = new ManualClock()
    let listener: (change: StateChange) => void = () => {}
    const onStateChange = (given: typeof listener) => {
      listener = given
      return () => {}
    }
    const pace = new Pace({ clock, core: { onStateChange } })
    const change = (...types: string[]) =>
      listener({ changed: Object.fromEntries(types.map((type) => [type, '1'])) } as unknown as StateChange)
    /** Milliseconds for which a commit that takes so long is followed by none. */
    const pauseAfter = async (took: number) => {
      let isOver = false
      void pace
        .after(async () => clock.advance(took))
        .then(() => {
          isOver = true
        })
      let waited = 0
      for (;;) {
        await new Promise((resolve) => setImmediate(resolve))
        if (isOver) return waited
        clock.advance(1)
        waited++
      }
    }
    pace.start()
    t.equal(pace.batch, IMPORT_BATCH_ALONE)
    t.equal(await pauseAfter(50), 0)
    change('Email', 'Import')
    t.equal(pace.batch, IMPORT_BATCH_ALONE, 'changes of imports are those of itself')
    change('Email')
    t.equal(pace.batch, IMPORT_BATCH_BESIDE)
    t.equal(await pauseAfter(10), 10 * IMPORT_WAIT_FACTOR)
    t.equal(await pauseAfter(IMPORT_WAIT_MAX_MS), IMPORT_WAIT_MAX_MS)
    clock.advance(IMPORT_ALONE_MS + 1)
    t.equal(pace.batch, IMPORT_BATCH_ALONE, 'others have stopped')
    t.equal(await pauseAfter(50), 0)
  },
)

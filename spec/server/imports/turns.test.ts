/** How imports that take long let others go on. */
import t, { type Test } from 'tap'
import { ManualClock } from '../../../server/base/clock.ts'
import { IMPORT_TURN_MAX_MS, IMPORT_TURN_MS } from '../../../server/base/import-limits.ts'
import { silentLogger } from '../../../server/base/logger.ts'
import type { ImportSource, ReadOptions, SourceItem } from '../../../server/imports/import-source.ts'
import { ImportWorker, type ImportWorkerDeps } from '../../../server/workers/imports/import-worker.ts'

type Imports = ImportWorkerDeps['core']['imports']

const TASK = { account: 1, id: 1, lease: 'a', kind: 'import', source: { type: 'files' }, options: {}, since: null }
const FOLDER = { path: ['In'], role: null, key: 'in', total: null, generation: '1', namesPlaces: true }

/** A worker that claims one task. @param isWaitedFor another import is due */
function startWorker(
  t: Test,
  isWaitedFor: boolean,
  read: (options: ReadOptions) => AsyncIterable<SourceItem>,
  more: Partial<Imports> = {},
) {
  const clock = new ManualClock()
  const calls: string[] = []
  const left = [TASK]
  const imports = {
    nextAt: async () => (left.length > 0 || isWaitedFor ? clock.now() : null),
    claim: async () => left.splice(0),
    renew: async () => {},
    begin: async () => [{ id: 1, key: 'in', position: null, isDone: false }],
    store: async () => 'stored',
    ...Object.fromEntries(
      ['giveWay', 'complete', 'finishFolder', 'retry', 'fail'].map((name) => [name, async () => void calls.push(name)]),
    ),
    ...more,
  } as unknown as Imports
  const source: ImportSource = {
    folders: async () => [FOLDER],
    read: (_, options) => read(options),
    close: async () => {},
  }
  const core = { imports, onStateChange: () => () => {} }
  const worker = new ImportWorker({ core, clock, logger: silentLogger, openSource: () => source })
  t.teardown(() => worker.stop())
  worker.start()
  return { clock, calls, worker }
}

async function* messages(count: number): AsyncGenerator<SourceItem> {
  for (let n = 0; n < count; n++) yield { kind: 'skipped', position: String(n), places: [] }
}

/** A source that gives nothing until it is told to stop. */
async function* silence({ signal }: ReadOptions): AsyncGenerator<SourceItem> {
  await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
  yield* messages(0)
}

t.test('after its time an import gives its place to one that waits, and not before, and to nobody', async (t) => {
  for (const [isWaitedFor, ms, expected] of [
    [true, IMPORT_TURN_MS, ['giveWay']],
    [true, IMPORT_TURN_MS - 1, ['finishFolder', 'complete']],
    [false, IMPORT_TURN_MS, ['finishFolder', 'complete']],
  ] as const) {
    const store = async () => {
      clock.advance(ms)
      return 'stored' as const
    }
    const { clock, calls, worker } = startWorker(t, isWaitedFor, () => messages(10), { store })
    await worker.settled()
    t.same(calls, expected)
  }
})

t.test('an undo does so too', async (t) => {
  const claimed = [{ ...TASK, kind: 'undo' }]
  const undo = async () => {
    clock.advance(IMPORT_TURN_MS)
    return true
  }
  const claim = async () => claimed.splice(0) as never
  const { clock, calls, worker } = startWorker(t, true, silence, { undo, claim })
  await worker.settled()
  t.same(calls, ['giveWay'])
})

t.test('a source that draws out one answer loses its place in the middle of it, if somebody waits', async (t) => {
  for (const isWaitedFor of [true, false]) {
    const begun = Promise.withResolvers<void>()
    const read = (options: ReadOptions) => {
      begun.resolve()
      return silence(options)
    }
    const { clock, calls, worker } = startWorker(t, isWaitedFor, read)
    await begun.promise
    clock.advance(IMPORT_TURN_MAX_MS)
    if (isWaitedFor) await worker.settled()
    else await worker.stop()
    t.same(calls, isWaitedFor ? ['giveWay'] : [])
  }
})

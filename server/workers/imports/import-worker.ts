/**
 * Imports mail and undoes imports. All that it holds is in the rows of the core: after a kill the import goes on where its last commit was.
 * It gives way to other writes: commits are small, and after one beside others it waits as long as it took. It gives way to other imports, too
 * (turn.ts).
 */
import {
  type FolderCursor,
  type ImportItem,
  type ImportTask,
  octetsOf,
  type TaskSource,
} from '../../../jmap/imports/items.ts'
import { isWanted } from '../../../jmap/imports/wanted.ts'
import { PassingOctets } from '../../base/collect-garbage.ts'
import { errorMessage } from '../../base/errors.ts'
import {
  IMPORT_BUSY_MS,
  IMPORT_CONCURRENCY,
  IMPORT_LEASE_MS,
  IMPORT_MESSAGE_MAX_BYTES,
  IMPORT_SWEEP_MS,
} from '../../base/import-limits.ts'
import { type ImportSource, SourceError, type SourceFolder } from '../../imports/import-source.ts'
import { DueWorker } from '../due-worker.ts'
import type { Worker, WorkerDeps } from '../worker.ts'
import { ItemBatches } from './item-batches.ts'
import { Pace } from './pace.ts'
import { Turn } from './turn.ts'

export interface ImportWorkerDeps extends Pick<WorkerDeps, 'clock' | 'logger'> {
  readonly core: Pick<WorkerDeps['core'], 'imports' | 'onStateChange'>
  readonly openSource: (source: TaskSource) => ImportSource
}

/** A folder that is read on from a position. */
interface FolderRead {
  readonly source: ImportSource
  readonly folder: SourceFolder
  readonly cursor: FolderCursor
  readonly turn: Turn
}

export class ImportWorker implements Worker {
  readonly #deps: ImportWorkerDeps
  readonly #due: DueWorker<ImportTask>
  readonly #pace: Pace
  readonly #passing = new PassingOctets()
  #stop = new AbortController()

  constructor(deps: ImportWorkerDeps) {
    const { core, clock, logger } = deps
    this.#deps = deps
    this.#pace = new Pace(deps)
    const { nextAt, claim, renew } = core.imports
    this.#due = new DueWorker({
      name: 'import',
      work: { nextAt, claim, renew, run: (task) => this.#run(task) },
      listen: (worker) =>
        core.onStateChange(({ changed }) => {
          if ('Import' in changed) worker.wake()
        }),
      concurrency: IMPORT_CONCURRENCY,
      leaseMs: IMPORT_LEASE_MS,
      sweepMs: IMPORT_SWEEP_MS,
      busyMs: IMPORT_BUSY_MS,
      clock,
      logger,
    })
  }

  start(): void {
    this.#stop = new AbortController()
    this.#pace.start()
    this.#due.start()
  }

  /** Work under way ends at its next message, and goes on after the next start. */
  async stop(): Promise<void> {
    this.#stop.abort()
    await this.#due.stop()
    this.#pace.stop()
  }

  /** Resolves when nothing is under way. */
  settled(): Promise<void> {
    return this.#due.settled()
  }

  async #run(task: ImportTask): Promise<void> {
    const { clock, core } = this.#deps
    const turn = new Turn({ clock, core, stop: this.#stop.signal })
    try {
      await (task.kind === 'undo' ? this.#undo(task, turn) : this.#import(task, turn))
    } finally {
      turn.end()
    }
  }

  async #undo(task: ImportTask, turn: Turn): Promise<void> {
    const { imports } = this.#deps.core
    try {
      while (!this.#stop.signal.aborted && (await this.#pace.after(() => imports.undo(task))))
        if (await turn.isOver()) return await imports.giveWay(task)
    } catch (error) {
      this.#logFailure(task, error)
      await imports.retryUndo(task, 'The messages could not be deleted. This is tried again.')
    }
  }

  async #import(task: ImportTask, turn: Turn): Promise<void> {
    const { imports } = this.#deps.core
    if (!task.source) {
      await imports.fail(task, {
        code: 'internal_error',
        message: 'The password of the source cannot be read any more.',
      })
      return
    }
    const source = this.#deps.openSource(task.source)
    try {
      await this.#readAll(task, source, turn)
    } catch (error) {
      if (this.#stop.signal.aborted) return
      if (turn.isCut) await imports.giveWay(task)
      else await this.#report(task, error)
    } finally {
      await source.close()
    }
  }

  async #readAll(task: ImportTask, source: ImportSource, turn: Turn): Promise<void> {
    const { imports } = this.#deps.core
    const folders = await source.folders(turn.signal)
    const cursors = await imports.begin(task, folders.map(plain))
    if (!cursors) return
    const byKey = new Map(folders.map((folder) => [folder.key, folder]))
    for (const cursor of cursors) {
      if (!(await this.#readFolder(task, { source, folder: byKey.get(cursor.key)!, cursor, turn }))) return
      await imports.finishFolder(task, cursor.id)
    }
    await imports.complete(task)
  }

  /** Returns whether the import goes on. */
  async #readFolder(task: ImportTask, { source, folder, cursor, turn }: FolderRead): Promise<boolean> {
    const { imports } = this.#deps.core
    const { signal } = turn
    const items = source.read(folder, {
      after: cursor.position,
      wants: ({ places, receivedAt }) => isWanted(task, places.length > 0 ? places : [folder], receivedAt),
      maxOctets: IMPORT_MESSAGE_MAX_BYTES,
      signal,
    })
    const batches = new ItemBatches()
    const store = async (batch: readonly ImportItem[]) => {
      signal.throwIfAborted()
      // Afterwards the memory of large ones is elsewhere.
      const octets = octetsOf(batch)
      const outcome = await this.#pace.after(() => imports.store(task, { folder: cursor.id, items: batch }))
      this.#passing.add(octets)
      if (outcome === 'full') await imports.pauseFull(task)
      if (outcome !== 'stored') return false
      if (!(await turn.isOver())) return true
      await imports.giveWay(task)
      return false
    }
    const storeLast = async () => {
      const last = batches.take()
      return last.length === 0 || store(last)
    }
    try {
      for await (const item of items) {
        const batch = batches.add(item, this.#pace.batch)
        if (batch && !(await store(batch))) return false
      }
    } catch (error) {
      // What came before a cut need not be read again.
      if (error instanceof SourceError && !(await storeLast())) return false
      throw error
    }
    signal.throwIfAborted()
    return storeLast()
  }

  async #report(task: ImportTask, error: unknown): Promise<void> {
    const { imports } = this.#deps.core
    if (!(error instanceof SourceError)) {
      this.#logFailure(task, error)
      const message = 'Something failed on our side. This is tried again.'
      return imports.retry(task, { code: 'internal_error', message })
    }
    const { fault, message, until } = error
    if (fault === 'throttled') return imports.pause(task, until, message)
    if (fault === 'cut' || fault === 'unreachable') return imports.retry(task, { code: 'source_unreachable', message })
    return imports.fail(task, { code: CODES[fault], message })
  }

  #logFailure({ account, id }: ImportTask, error: unknown): void {
    this.#deps.logger.error({ account, import: id, error: errorMessage(error) }, 'an import failed and is tried again')
  }
}

const CODES = {
  authentication: 'source_authentication_failed',
  untrusted: 'source_tls_untrusted',
  unusable: 'source_unusable',
} as const

/** Only data crosses to the thread that writes. */
function plain({ key, path, role, total, generation, namesPlaces = false }: SourceFolder) {
  return { key, path, role, total, generation, namesPlaces }
}

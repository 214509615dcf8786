/**
 * Parses messages: small ones in the thread that asks, large ones in threads of their own, which are started when first needed and end when
 * they have had nothing to do for a while. A thread has one message at a time, so that only those under way are in memory twice.
 */
import { getCompileCacheDir } from 'node:module'
import { availableParallelism } from 'node:os'
import { dirname } from 'node:path'
import { Worker } from 'node:worker_threads'
import { type ParsedMessage, parseMessage } from '../../jmap/message/structure.ts'
import type { Clock } from '../base/clock.ts'
import { PARSE_HERE_MAX_BYTES, PARSE_THREAD_HEAP_MIB, PARSE_THREAD_IDLE_MS, PARSE_THREADS_MAX } from '../base/limits.ts'
import { joinInTurns } from '../base/turns.ts'
import type { MessageThreadData } from './message-thread.ts'
import { RpcClient } from './rpc.ts'

interface Thread {
  readonly worker: Worker
  readonly rpc: RpcClient
  cancelEnd: () => void
}

export class MessageThreads {
  readonly #clock: Clock
  readonly #idle = new Set<Thread>()
  readonly #all = new Set<Thread>()
  readonly #waiting: ((thread: Thread) => void)[] = []
  readonly #maxThreads: number
  #isClosed = false

  /** @param maxThreads one core is left to the event loop */
  constructor(clock: Clock, maxThreads = Math.max(1, Math.min(PARSE_THREADS_MAX, availableParallelism() - 1))) {
    this.#clock = clock
    this.#maxThreads = maxThreads
  }

  /** Rejects when the thread has died; the parser itself is total. */
  async parse(bytes: Uint8Array): Promise<ParsedMessage> {
    if (bytes.length <= PARSE_HERE_MAX_BYTES || this.#isClosed) return parseMessage(bytes)
    const thread = await this.#take()
    try {
      // The caller keeps its octets.
      const copy = await joinInTurns([bytes])
      return await thread.rpc.call<ParsedMessage>('parse', [copy], [copy.buffer as ArrayBuffer])
    } finally {
      this.#giveBack(thread)
    }
  }

  /** Work under way ends with an error. */
  async close(): Promise<void> {
    this.#isClosed = true
    await Promise.all([...this.#all].map((thread) => this.#end(thread)))
  }

  #take(): Promise<Thread> {
    const [idle] = this.#idle
    if (idle) {
      this.#idle.delete(idle)
      idle.cancelEnd()
      return Promise.resolve(idle)
    }
    if (this.#all.size < this.#maxThreads) return Promise.resolve(this.#start())
    return new Promise((resolve) => this.#waiting.push(resolve))
  }

  #giveBack(thread: Thread): void {
    const next = this.#waiting.shift()
    if (next) next(this.#all.has(thread) || this.#isClosed ? thread : this.#start())
    else if (this.#all.has(thread)) {
      this.#idle.add(thread)
      thread.cancelEnd = this.#clock.after(PARSE_THREAD_IDLE_MS, () => void this.#end(thread))
    }
  }

  #start(): Thread {
    const cache = getCompileCacheDir()
    // Node appends a folder for its version to the given one.
    const workerData: MessageThreadData = { compileCache: cache === undefined ? null : dirname(cache) }
    const worker = new Worker(new URL('./message-thread.ts', import.meta.url), {
      workerData,
      resourceLimits: { maxOldGenerationSizeMb: PARSE_THREAD_HEAP_MIB },
    })
    // The threads do not keep the process alive.
    worker.unref()
    const thread: Thread = { worker, rpc: new RpcClient(worker, () => {}), cancelEnd: () => {} }
    this.#all.add(thread)
    const died = (error: Error) => {
      this.#forget(thread)
      thread.rpc.end(error)
    }
    worker.on('error', died)
    worker.on('exit', () => died(new Error('a thread that parses messages has ended')))
    return thread
  }

  #forget(thread: Thread): void {
    thread.cancelEnd()
    this.#all.delete(thread)
    this.#idle.delete(thread)
  }

  async #end(thread: Thread): Promise<void> {
    this.#forget(thread)
    await thread.worker.terminate()
  }
}

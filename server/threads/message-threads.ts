/**
 * Pure work on messages: on small ones in the calling thread, on large ones in threads of their own. These start when first needed and end
 * after a while without work. A thread has one message at a time, so that only those under way are in memory twice.
 */
import { availableParallelism } from 'node:os'
import { Worker } from 'node:worker_threads'
import type { ReadCalendar } from '../../jmap/calendars/icalendar/read-icalendar.ts'
import type { CalendarSteps } from '../../jmap/calendars/icalendar/read-steps.ts'
import type { PlannedMessage } from '../../jmap/calendars/itip/scheduling-job.ts'
import type { Mark } from '../../jmap/message/decode-ranges.ts'
import type { ParsedMessage } from '../../jmap/message/structure.ts'
import type { Fault } from '../../jmap/newsletters/content/fault.ts'
import type { CompiledNewsletter } from '../../jmap/newsletters/content/newsletter-content.ts'
import { type MessageWork, type ReturnedMessage, WORK_HERE } from '../../jmap/type/message-work.ts'
import type { Clock } from '../base/clock.ts'
import { errorMessage, Failure } from '../base/errors.ts'
import { isWhole } from '../base/free-memory.ts'
import { WORK_HERE_MAX_BYTES, WORK_THREAD_HEAP_MIB, WORK_THREAD_IDLE_MS, WORK_THREADS_MAX } from '../base/limits.ts'
import { THREAD_YOUNG_MIB } from '../base/reading-limits.ts'
import { SCHEDULING_HERE_MAX_BYTES } from '../base/scheduling-limits.ts'
import { joinInTurns } from '../base/turns.ts'
import { RpcClient } from './rpc.ts'

interface Thread {
  readonly worker: Worker
  readonly rpc: RpcClient
  cancelEnd: () => void
}

export class MessageThreads implements MessageWork {
  readonly #clock: Clock
  readonly #idle = new Set<Thread>()
  readonly #all = new Set<Thread>()
  readonly #waiting: ((thread: Thread) => void)[] = []
  readonly #maxThreads: number
  #isClosed = false

  /** @param maxThreads one core is left to the event loop */
  constructor(clock: Clock, maxThreads = Math.max(1, Math.min(WORK_THREADS_MAX, availableParallelism() - 1))) {
    this.#clock = clock
    this.#maxThreads = maxThreads
  }

  parse(message: Uint8Array): Promise<ParsedMessage> {
    return this.#run('parse', message)
  }

  async parseLent(message: Uint8Array): Promise<ReturnedMessage> {
    if (message.length <= WORK_HERE_MAX_BYTES || this.#isClosed) return WORK_HERE.parseLent(message)
    // What shares its memory with other octets is copied, so that these stay.
    if (!isWhole(message)) return { parsed: await this.parse(message), message }
    const thread = await this.#take()
    return this.#during(thread, () => thread.rpc.call('parseLent', [message], [message.buffer]))
  }

  decode(body: Uint8Array, encoding: string): Promise<Uint8Array> {
    return this.#run('decode', body, encoding)
  }

  decodeGiven(body: Uint8Array, encoding: string): Promise<Uint8Array> {
    return this.#runGiven('decode', body, encoding)
  }

  findMarks(body: Uint8Array, encoding: string, size: number): Promise<readonly Mark[] | null> {
    return this.#runGiven('findMarks', body, encoding, size)
  }

  /** Always in a thread: what a text costs does not follow from its size. */
  async readCalendar(
    text: Uint8Array,
    now: string,
    signal?: AbortSignal,
  ): Promise<ReadCalendar | { readonly refusal: string }> {
    if (this.#isClosed) return WORK_HERE.readCalendar(text, now)
    return this.#runOn(await this.#take(signal), 'readCalendar', text, now)
  }

  readCalendarSteps(text: Uint8Array, now: string): Promise<CalendarSteps | { readonly refusal: string }> {
    return this.#isClosed ? WORK_HERE.readCalendarSteps(text, now) : this.#runThere('readCalendarSteps', text, now)
  }

  planScheduling(job: Uint8Array): Promise<readonly PlannedMessage[]> {
    if (this.#isClosed || job.length <= SCHEDULING_HERE_MAX_BYTES) return WORK_HERE.planScheduling(job)
    return this.#runThere('planScheduling', job)
  }

  writeScheduling(job: Uint8Array, message: PlannedMessage): ReturnType<MessageWork['writeScheduling']> {
    if (this.#isClosed || job.length <= SCHEDULING_HERE_MAX_BYTES) return WORK_HERE.writeScheduling(job, message)
    return this.#runThere('writeScheduling', job, message)
  }

  /** Always in a thread: only it loads the libraries, and keeps them for a while. */
  compileNewsletter(content: Uint8Array): Promise<CompiledNewsletter | { readonly faults: readonly Fault[] }> {
    return this.#isClosed ? WORK_HERE.compileNewsletter(content) : this.#runThere('compileNewsletter', content)
  }

  /** Work under way ends with an error. */
  async close(): Promise<void> {
    this.#isClosed = true
    await Promise.all([...this.#all].map((thread) => this.#end(thread)))
  }

  /** @throws Failure `storageUnavailable` when the thread has ended; the work itself is total */
  async #run<Name extends keyof MessageWork>(
    name: Name,
    octets: Uint8Array,
    ...more: unknown[]
  ): Promise<Awaited<ReturnType<MessageWork[Name]>>> {
    type Result = Awaited<ReturnType<MessageWork[Name]>>
    const here = WORK_HERE[name] as (...args: unknown[]) => Promise<Result>
    if (octets.length <= WORK_HERE_MAX_BYTES || this.#isClosed) return here(octets, ...more)
    return this.#runThere<Result>(name, octets, ...more)
  }

  /** The same without a copy of large octets, which nobody reads any more. */
  async #runGiven<Name extends keyof MessageWork>(
    name: Name,
    octets: Uint8Array,
    ...more: unknown[]
  ): Promise<Awaited<ReturnType<MessageWork[Name]>>> {
    if (octets.length <= WORK_HERE_MAX_BYTES || this.#isClosed || !isWhole(octets))
      return this.#run(name, octets, ...more)
    const thread = await this.#take()
    return this.#during(thread, () =>
      thread.rpc.call<Awaited<ReturnType<MessageWork[Name]>>>(name, [octets, ...more], [octets.buffer]),
    )
  }

  async #runThere<Result>(name: keyof MessageWork, octets: Uint8Array, ...more: unknown[]): Promise<Result> {
    return this.#runOn(await this.#take(), name, octets, ...more)
  }

  #runOn<Result>(thread: Thread, name: keyof MessageWork, octets: Uint8Array, ...more: unknown[]): Promise<Result> {
    return this.#during(thread, async () => {
      // The caller keeps its octets.
      const copy = octets.length <= WORK_HERE_MAX_BYTES ? new Uint8Array(octets) : await joinInTurns([octets])
      return thread.rpc.call<Result>(name, [copy, ...more], [copy.buffer as ArrayBuffer])
    })
  }

  async #during<Result>(thread: Thread, work: () => Promise<Result>): Promise<Result> {
    try {
      return await work()
    } finally {
      this.#giveBack(thread)
    }
  }

  /** Rejects when the signal comes before a thread is free. */
  #take(signal?: AbortSignal): Promise<Thread> {
    const [idle] = this.#idle
    if (idle) {
      this.#idle.delete(idle)
      idle.cancelEnd()
      return Promise.resolve(idle)
    }
    if (this.#all.size < this.#maxThreads) return Promise.resolve(this.#start())
    return new Promise((resolve, reject) => {
      this.#waiting.push(resolve)
      signal?.addEventListener('abort', () => {
        const place = this.#waiting.indexOf(resolve)
        if (place < 0) return
        this.#waiting.splice(place, 1)
        reject(signal.reason)
      })
    })
  }

  #giveBack(thread: Thread): void {
    const next = this.#waiting.shift()
    if (next) next(this.#all.has(thread) || this.#isClosed ? thread : this.#start())
    else if (this.#all.has(thread)) {
      this.#idle.add(thread)
      thread.cancelEnd = this.#clock.after(WORK_THREAD_IDLE_MS, () => void this.#end(thread))
    }
  }

  #start(): Thread {
    const worker = new Worker(new URL('./message-thread.ts', import.meta.url), {
      resourceLimits: { maxOldGenerationSizeMb: WORK_THREAD_HEAP_MIB, maxYoungGenerationSizeMb: THREAD_YOUNG_MIB },
    })
    // The threads do not keep the process alive.
    worker.unref()
    const thread: Thread = { worker, rpc: new RpcClient(worker, () => {}), cancelEnd: () => {} }
    this.#all.add(thread)
    const died = (reason: string) => {
      this.#forget(thread)
      thread.rpc.end(new Failure('storageUnavailable', `a thread that works on messages has ended: ${reason}`))
    }
    worker.on('error', (error) => died(errorMessage(error)))
    worker.on('exit', (code) => died(`exit code ${code}`))
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

/**
 * A pool of threads that check signatures, started when needed, and ended when they have had nothing to do. Jobs wait in a bounded queue; a
 * thread that takes too long is terminated. A message that was not checked is reported as undecided, never as a pass.
 */
import { availableParallelism } from 'node:os'
import { Worker } from 'node:worker_threads'
import type { Clock } from '../../../../server/base/clock.ts'
import {
  SENDER_DNS_MS,
  SIGNATURE_DNS_MS,
  SIGNATURE_JOB_MS,
  SIGNATURE_JOBS_PER_THREAD,
  SIGNATURE_QUEUE_MAX,
  SIGNATURE_THREAD_IDLE_MS,
  SIGNATURE_THREADS_MAX,
} from '../../../../server/base/inbound-limits.ts'
import { TURN_BYTES } from '../../../../server/base/limits.ts'
import type { Logger } from '../../../../server/base/logger.ts'
import { THREAD_YOUNG_MIB } from '../../../../server/base/reading-limits.ts'
import { joinInTurns } from '../../../../server/base/turns.ts'
import type { DnsResolver } from '../../../dns/resolver.ts'
import { withResolverTimeout } from '../../../dns/resolver-timeout.ts'
import { answerLookup } from './lookup.ts'
import { type SignatureReport, UNDECIDED, UNREADABLE } from './signature-report.ts'
import type { FromThread, ToThread } from './signature-thread.ts'

interface Job {
  readonly bytes: Buffer
  readonly now: number
  readonly done: (report: SignatureReport) => void
  readonly dns: DnsResolver
  /** How many threads ended while they had the job. */
  lost: number
  startedAt: number
  cancel: () => void
}

interface Thread {
  readonly worker: Worker
  readonly jobs: Map<number, Job>
  stopIdling: () => void
}

export interface SignaturePoolOptions {
  readonly dns: DnsResolver
  readonly clock: Clock
  readonly log: Logger
  readonly threads?: number
  readonly queueMax?: number
}

export class SignaturePool {
  readonly #options: SignaturePoolOptions
  readonly #maxThreads: number
  readonly #threads = new Set<Thread>()
  readonly #waiting: Job[] = []
  #numbers = 0
  #closed = false

  constructor(options: SignaturePoolOptions) {
    this.#options = options
    // The event loop keeps one core.
    this.#maxThreads = options.threads ?? Math.max(1, Math.min(SIGNATURE_THREADS_MAX, availableParallelism() - 1))
  }

  /** @param now epoch ms, for the expiry of signatures */
  check(bytes: Buffer, now: number): Promise<SignatureReport> {
    if (this.#closed || this.#waiting.length >= (this.#options.queueMax ?? SIGNATURE_QUEUE_MAX))
      return Promise.resolve(UNDECIDED)
    const dns = withResolverTimeout(this.#options.dns, this.#options.clock, SENDER_DNS_MS)
    return new Promise((done) => {
      this.#waiting.push({ dns, bytes, now, done, lost: 0, startedAt: 0, cancel: () => {} })
      this.#next()
    })
  }

  async close(): Promise<void> {
    this.#closed = true
    for (const job of this.#waiting.splice(0)) job.done(UNDECIDED)
    await Promise.all([...this.#threads].map((thread) => this.#end(thread)))
  }

  #next(): void {
    while (this.#waiting.length > 0) {
      const thread = this.#freeThread()
      if (!thread) return
      this.#assign(thread, this.#waiting.shift()!)
    }
  }

  #freeThread(): Thread | null {
    const threads = [...this.#threads].sort((a, b) => a.jobs.size - b.jobs.size)
    if (threads[0]?.jobs.size === 0) return threads[0]
    if (this.#threads.size < this.#maxThreads) return this.#start()
    return threads[0] && threads[0].jobs.size < SIGNATURE_JOBS_PER_THREAD ? threads[0] : null
  }

  #start(): Thread {
    const worker = new Worker(new URL('./signature-thread.ts', import.meta.url), {
      resourceLimits: { maxYoungGenerationSizeMb: THREAD_YOUNG_MIB },
    })
    const thread: Thread = { worker, jobs: new Map(), stopIdling: () => {} }
    this.#threads.add(thread)
    // The threads do not keep the process alive.
    worker.unref()
    worker.on('message', (message: FromThread) => this.#receive(thread, message))
    worker.on('error', (error) => {
      this.#options.log.error({ error: error.message }, 'a thread that checks signatures failed')
      void this.#end(thread)
    })
    worker.on('exit', () => void this.#end(thread))
    return thread
  }

  #assign(thread: Thread, job: Job): void {
    const number = ++this.#numbers
    thread.stopIdling()
    thread.jobs.set(number, job)
    job.startedAt = this.#options.clock.now()
    job.cancel = this.#options.clock.after(SIGNATURE_JOB_MS, () => this.#timeOut(thread, number))
    if (job.bytes.length <= TURN_BYTES) this.#send(thread, number, job, new Uint8Array(job.bytes))
    else void joinInTurns([job.bytes]).then((bytes) => this.#send(thread, number, job, bytes))
  }

  /** @param bytes a copy: the caller keeps its octets */
  #send(thread: Thread, number: number, job: Job, bytes: Uint8Array): void {
    // It may have ended while they were copied.
    if (thread.jobs.get(number) !== job) return
    const message: ToThread = { kind: 'check', job: number, bytes, now: job.now }
    thread.worker.postMessage(message, [bytes.buffer as ArrayBuffer])
  }

  #receive(thread: Thread, message: FromThread): void {
    if (message.kind === 'question') {
      void this.#answer(thread, message)
      return
    }
    this.#finish(thread, message.job, message.report ?? UNREADABLE)
    this.#next()
    if (thread.jobs.size > 0 || !this.#threads.has(thread)) return
    thread.stopIdling()
    thread.stopIdling = this.#options.clock.after(SIGNATURE_THREAD_IDLE_MS, () => void this.#end(thread))
  }

  async #answer(thread: Thread, { question, job, name, type }: FromThread & { kind: 'question' }): Promise<void> {
    const asking = thread.jobs.get(job)
    const isLate = !asking || this.#options.clock.now() - asking.startedAt > SIGNATURE_DNS_MS
    const answer = isLate ? { code: 'ETIMEOUT' } : await answerLookup(asking.dns, name, type)
    const message: ToThread = { kind: 'answer', question, answer }
    thread.worker.postMessage(message)
  }

  #finish(thread: Thread, number: number, report: SignatureReport): void {
    const job = thread.jobs.get(number)
    job?.cancel()
    thread.jobs.delete(number)
    job?.done(report)
  }

  /** Lookups have timed out before this: the computation itself takes too long. */
  #timeOut(thread: Thread, number: number): void {
    this.#options.log.warn({}, 'checking the signatures of a message took too long')
    this.#finish(thread, number, UNDECIDED)
    void this.#end(thread)
  }

  /** Its other jobs are started again, once. */
  async #end(thread: Thread): Promise<void> {
    if (!this.#threads.delete(thread)) return
    thread.stopIdling()
    for (const job of thread.jobs.values()) {
      job.cancel()
      if (this.#closed || ++job.lost > 1) job.done(UNDECIDED)
      else this.#waiting.unshift(job)
    }
    thread.jobs.clear()
    await thread.worker.terminate()
    if (!this.#closed) this.#next()
  }
}

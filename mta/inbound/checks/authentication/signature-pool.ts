/**
 * A few threads that check signatures, started when they are first needed. Work waits in a bounded queue; a thread that does not come
 * to an end is stopped, and what was not checked is told as such: undecided, never as a pass.
 */
import { getCompileCacheDir } from 'node:module'
import { availableParallelism } from 'node:os'
import { dirname } from 'node:path'
import { Worker } from 'node:worker_threads'
import type { Clock } from '../../../../server/base/clock.ts'
import {
  SENDER_DNS_MS,
  SIGNATURE_DNS_MS,
  SIGNATURE_JOB_MS,
  SIGNATURE_JOBS_PER_THREAD,
  SIGNATURE_QUEUE_MAX,
  SIGNATURE_THREADS_MAX,
} from '../../../../server/base/inbound-limits.ts'
import type { Logger } from '../../../../server/base/logger.ts'
import { withPatience } from '../../../dns/patience.ts'
import type { DnsResolver } from '../../../dns/resolver.ts'
import { answerLookup } from './lookup.ts'
import { type SignatureReport, UNDECIDED, UNREADABLE } from './signature-report.ts'
import type { FromThread, ToThread } from './thread.ts'

interface Job {
  readonly bytes: Buffer
  readonly now: number
  readonly done: (report: SignatureReport) => void
  readonly dns: DnsResolver
  /** How often a thread has ended with it. */
  lost: number
  startedAt: number
  cancel: () => void
}

interface Thread {
  readonly worker: Worker
  readonly jobs: Map<number, Job>
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
  readonly #most: number
  readonly #threads = new Set<Thread>()
  readonly #waiting: Job[] = []
  #numbers = 0
  #closed = false

  constructor(options: SignaturePoolOptions) {
    this.#options = options
    // One core stays with the event loop.
    this.#most = options.threads ?? Math.max(1, Math.min(SIGNATURE_THREADS_MAX, availableParallelism() - 1))
  }

  /** @param now epoch ms, against which expiry is judged. */
  check(bytes: Buffer, now: number): Promise<SignatureReport> {
    if (this.#closed || this.#waiting.length >= (this.#options.queueMax ?? SIGNATURE_QUEUE_MAX))
      return Promise.resolve(UNDECIDED)
    const dns = withPatience(this.#options.dns, this.#options.clock, SENDER_DNS_MS)
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
      this.#give(thread, this.#waiting.shift()!)
    }
  }

  #freeThread(): Thread | null {
    const threads = [...this.#threads].sort((a, b) => a.jobs.size - b.jobs.size)
    if (threads[0]?.jobs.size === 0) return threads[0]
    if (this.#threads.size < this.#most) return this.#start()
    return threads[0] && threads[0].jobs.size < SIGNATURE_JOBS_PER_THREAD ? threads[0] : null
  }

  #start(): Thread {
    const cache = getCompileCacheDir()
    const workerData = { compileCache: cache === undefined ? null : dirname(cache) }
    const worker = new Worker(new URL('./thread.ts', import.meta.url), { workerData })
    const thread: Thread = { worker, jobs: new Map() }
    this.#threads.add(thread)
    // A process that ends does not wait for them.
    worker.unref()
    worker.on('message', (message: FromThread) => this.#hear(thread, message))
    worker.on('error', (error) => {
      this.#options.log.error({ error: error.message }, 'a thread that checks signatures has died')
      void this.#end(thread)
    })
    worker.on('exit', () => void this.#end(thread))
    return thread
  }

  #give(thread: Thread, job: Job): void {
    const number = ++this.#numbers
    thread.jobs.set(number, job)
    job.startedAt = this.#options.clock.now()
    job.cancel = this.#options.clock.after(SIGNATURE_JOB_MS, () => this.#late(thread, number))
    const bytes = new Uint8Array(job.bytes)
    const message: ToThread = { kind: 'check', job: number, bytes, now: job.now }
    thread.worker.postMessage(message, [bytes.buffer])
  }

  #hear(thread: Thread, message: FromThread): void {
    if (message.kind === 'question') {
      void this.#answer(thread, message)
      return
    }
    this.#finish(thread, message.job, message.report ?? UNREADABLE)
    this.#next()
  }

  async #answer(thread: Thread, { question, job, name, type }: FromThread & { kind: 'question' }): Promise<void> {
    const asking = thread.jobs.get(job)
    const late = !asking || this.#options.clock.now() - asking.startedAt > SIGNATURE_DNS_MS
    const answer = late ? { code: 'ETIMEOUT' } : await answerLookup(asking.dns, name, type)
    const message: ToThread = { kind: 'answer', question, answer }
    thread.worker.postMessage(message)
  }

  #finish(thread: Thread, number: number, report: SignatureReport): void {
    const job = thread.jobs.get(number)
    job?.cancel()
    thread.jobs.delete(number)
    job?.done(report)
  }

  /** Its questions are long answered: it is the work that does not end. */
  #late(thread: Thread, number: number): void {
    this.#options.log.warn({}, 'checking the signatures of a message took too long')
    this.#finish(thread, number, UNDECIDED)
    void this.#end(thread)
  }

  /** What else it had at hand begins anew, once. */
  async #end(thread: Thread): Promise<void> {
    if (!this.#threads.delete(thread)) return
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

/**
 * A few threads that read, and who may use them next: the client with the fewest requests under way. A request that waits too long, runs
 * too long, or whose client has gone, ends. Threads start when they are needed, and end when they have had nothing to do.
 */
import type { Clock } from '../base/clock.ts'
import { Failure, isFailure } from '../base/errors.ts'
import { abandoned, type WaitingClient } from '../base/guard.ts'
import {
  ANSWER_MAX_BYTES,
  READ_BULK_BYTES,
  READ_GRACE_MS,
  READ_MS,
  READ_WAIT_MS,
  READER_IDLE_MS,
  READERS_LOST_MAX,
  READS_PER_CREDENTIAL,
  UNSENT_ALL_MAX_BYTES,
  UNSENT_MAX_BYTES,
  WRITE_GRACE_MS,
} from '../base/reading-limits.ts'
import type { UnsentAnswers } from '../base/unsent-answers.ts'
import { holdAnswer } from './hold-answer.ts'
import type { Detached } from './octets.ts'

/** A reading thread. */
export interface ReadingThread {
  /**
   * @param place below `places`, free until the promise settles
   * @param ms after which the thread itself ends the work
   * @param octets of its answer; Failure `bulky` when it has more
   */
  run(call: ReadCall, place: number, ms: number, octets: number): Promise<unknown>
  /** The request in that place ends soon. */
  cancel(place: number): void
  /** Ends the thread. Resolves when it has ended; it need not. */
  end(): Promise<void>
}

export interface ReadCall {
  readonly path: string
  /** The arguments for another thread. Called for each try; what runs on is tried once. */
  readonly detach: () => Detached<readonly unknown[]>
  /** Failure `diverted` in place of a large answer that is not octets. */
  readonly restartsLarge: boolean
  /** Its answer is known to be large. */
  readonly isBulky: boolean
}

export interface ReadersOptions {
  /** @param onEnd is called when the thread ends by itself */
  readonly start: (onEnd: () => void) => ReadingThread
  readonly threads: number
  /** Requests that one thread runs at a time. */
  readonly places: number
  /** Answers of threads count there, and leave less room for others. */
  readonly unsent: UnsentAnswers
  readonly clock: Clock
}

interface Job {
  readonly call: ReadCall
  /** Of whom requests are counted. */
  readonly holder: string
  readonly client: WaitingClient | undefined
  /** It writes too, and runs to its end although its client leaves. */
  readonly runsOn: boolean
  readonly done: PromiseWithResolvers<unknown>
  isBulky: boolean
  /** `done` is settled. */
  isOver: boolean
  /** Stops waiting or running; the promise is rejected. */
  cancel: (reason: Failure) => void
  stopWaiting: () => void
}

interface Working {
  readonly thread: ReadingThread
  readonly places: (Job | null)[]
  /** It has made a large answer. */
  isLarge: boolean
  stopIdling: () => void
}

export class Readers {
  readonly #options: ReadersOptions
  readonly #waiting = new Set<Job>()
  readonly #running = new Map<string, number>()
  #runningOfAll = 0
  #runningBulky = 0
  readonly #threads = new Set<Working>()
  readonly #ending = new Set<Promise<void>>()
  #lost = 0
  #isClosed = false

  constructor(options: ReadersOptions) {
    this.#options = options
    options.unsent.onRoom(() => this.#assign())
  }

  /**
   * @param client its answer counts until the client has it or has left
   * @param runsOn it writes too, and runs to its end although the client leaves
   * @throws Failure `busy`, `overdue`, `abandoned`, `shuttingDown`, and what the call throws
   */
  async run(call: ReadCall, holder: string, client: WaitingClient | undefined, runsOn = false): Promise<unknown> {
    if (this.#isClosed) throw new Failure('shuttingDown', 'the store is closed')
    const done = Promise.withResolvers<unknown>()
    const { isBulky } = call
    const job: Job = { call, holder, client, runsOn, done, isBulky, isOver: false, cancel() {}, stopWaiting() {} }
    this.#wait(job)
    const removeListener = runsOn ? undefined : client?.onLeave(() => job.cancel(abandoned()))
    this.#assign()
    try {
      return await done.promise
    } finally {
      job.isOver = true
      job.stopWaiting()
      removeListener?.()
    }
  }

  #wait(job: Job): void {
    job.cancel = (reason) => {
      this.#waiting.delete(job)
      job.done.reject(reason)
    }
    job.stopWaiting = this.#options.clock.after(READ_WAIT_MS, () =>
      job.cancel(new Failure('busy', 'too many long reads wait')),
    )
    this.#waiting.add(job)
  }

  /** Ends what runs. Resolves when all threads have ended. */
  async close(): Promise<void> {
    this.#isClosed = true
    for (const job of [...this.#waiting]) job.cancel(new Failure('shuttingDown', 'the store is closed'))
    for (const working of [...this.#threads]) {
      for (const job of working.places) job?.done.reject(new Failure('shuttingDown', 'the store is closed'))
      this.#end(working)
    }
    await Promise.all(this.#ending)
  }

  #assign(): void {
    while (this.#waiting.size > 0) {
      const job = this.#next()
      const free = job && this.#freeThread(job)
      if (!job || !free) return
      this.#waiting.delete(job)
      job.stopWaiting()
      void this.#begin(free, job)
    }
  }

  /** The request whose client has the fewest under way, among those the one that waits the longest, if there is room for its answer. */
  #next(): Job | null {
    if (this.#options.unsent.ofAll + (this.#runningOfAll + 1) * ANSWER_MAX_BYTES > UNSENT_ALL_MAX_BYTES) return null
    let best: Job | null = null
    for (const job of this.#waiting)
      if (this.#mayBegin(job) && (!best || this.#count(job) < this.#count(best))) best = job
    return best
  }

  /** Bulky ones leave a thread to others, if there are several. */
  #mayBegin(job: Job): boolean {
    if (job.isBulky && this.#runningBulky >= Math.max(1, this.#options.threads - 1)) return false
    const running = this.#count(job)
    const unsent = this.#options.unsent.of(job.holder)
    return running < READS_PER_CREDENTIAL && unsent + (running + 1) * ANSWER_MAX_BYTES <= UNSENT_MAX_BYTES
  }

  #count({ holder }: Job): number {
    return this.#running.get(holder) ?? 0
  }

  /** An idle thread, else a new one, else the one with the least work. */
  #freeThread({ isBulky }: Job): Working | null {
    const load = ({ places }: Working) => places.filter((job) => job !== null).length
    // Threads keep the size of the largest answer that they have made: so few become large.
    const [least] = [...this.#threads].sort(
      (a, b) => load(a) - load(b) || Number(b.isLarge === isBulky) - Number(a.isLarge === isBulky),
    )
    if (least && load(least) === 0) return least
    const { threads, places } = this.#options
    if (this.#threads.size < threads && this.#lost <= READERS_LOST_MAX) return this.#start()
    return least && load(least) < places ? least : null
  }

  #start(): Working {
    const { start, places } = this.#options
    const thread = start(() => {
      this.#threads.delete(working)
      this.#assign()
    })
    const working: Working = {
      thread,
      places: Array.from({ length: places }, () => null),
      isLarge: false,
      stopIdling: () => {},
    }
    this.#threads.add(working)
    return working
  }

  async #begin(working: Working, job: Job): Promise<void> {
    const { clock } = this.#options
    const { thread, places } = working
    const place = places.indexOf(null)
    places[place] = job
    working.stopIdling()
    this.#running.set(job.holder, this.#count(job) + 1)
    this.#runningOfAll++
    const { isBulky } = job
    if (isBulky) {
      this.#runningBulky++
      working.isLarge = true
    }
    job.cancel = (reason) => {
      thread.cancel(place)
      job.done.reject(reason)
    }
    const stopWatching = clock.after(READ_MS + (job.runsOn ? WRITE_GRACE_MS : READ_GRACE_MS), () => this.#lose(working))
    const octets = isBulky || job.runsOn ? Number.POSITIVE_INFINITY : READ_BULK_BYTES
    await thread.run(job.call, place, READ_MS, octets).then(
      (value) => {
        holdAnswer(this.#options.unsent, job.holder, job.client, value)
        job.done.resolve(value)
      },
      (error: unknown) => {
        if (isFailure(error, 'bulky') && !job.isOver && !this.#isClosed) this.#again(job)
        else job.done.reject(error)
      },
    )
    stopWatching()
    places[place] = null
    this.#runningOfAll--
    if (isBulky) this.#runningBulky--
    const left = this.#count(job) - 1
    if (left > 0) this.#running.set(job.holder, left)
    else this.#running.delete(job.holder)
    if (places.every((other) => other === null) && this.#threads.has(working))
      working.stopIdling = clock.after(READER_IDLE_MS, () => this.#end(working))
    this.#assign()
  }

  /** It has written nothing, so it can be begun anew, when no other answer of this size is made. */
  #again(job: Job): void {
    job.isBulky = true
    this.#wait(job)
  }

  /** The thread is stuck in a statement. Others replace it; it ends when it can. */
  #lose(working: Working): void {
    for (const job of working.places) job?.done.reject(new Failure('overdue', 'the request took too long'))
    this.#lost++
    void this.#end(working).then(() => this.#lost--)
    this.#assign()
  }

  #end(working: Working): Promise<void> {
    this.#threads.delete(working)
    working.stopIdling()
    for (const [place, job] of working.places.entries()) if (job) working.thread.cancel(place)
    const ended = working.thread.end()
    this.#ending.add(ended)
    void ended.then(() => this.#ending.delete(ended))
    return ended
  }
}

/**
 * Connections to IMAP servers run in threads of their own: one for each account that is imported from, and one for all logins that are
 * tried. What a hostile server sends is parsed there, so it can cost that thread its memory or its time, and nothing else.
 */
import { Worker } from 'node:worker_threads'
import type { ImapAccount, ImapLogin, ImapLoginFault, ImapPlace } from '../../jmap/type/host-ports.ts'
import type { Clock } from '../base/clock.ts'
import { IMAP_DEAD_MS, IMAP_LOGIN_IDLE_MS, IMAP_THREAD_HEAP_MIB } from '../base/imap-limits.ts'
import { ImapSource } from '../imports/imap/imap-source.ts'
import type { ImapReach, ImapSessionCalls, SessionAnswer, SessionPlan } from '../imports/imap/session-port.ts'
import type { ImportSource, SourceFault } from '../imports/import-source.ts'
import { RpcClient } from './rpc.ts'

export interface ImapThreadsOptions {
  readonly clock: Clock
  readonly reach: ImapReach
}

export class ImapThreads {
  readonly #clock: Clock
  readonly #reach: ImapReach
  readonly #all = new Set<ImapThread>()
  #loginThread: ImapThread | null = null
  #logins = 0
  #cancelIdle: () => void = () => {}

  constructor({ clock, reach }: ImapThreadsOptions) {
    this.#clock = clock
    this.#reach = reach
  }

  /** Opens an account that is imported from. Its thread starts when it is first read. */
  open(account: ImapAccount): ImportSource {
    const plan = { account, reach: this.#reach }
    const start = () => this.#start()
    return new ImapSource(new SessionInThread(plan, start))
  }

  readonly login: ImapLogin = async (account) => {
    this.#cancelIdle()
    this.#loginThread ??= this.#start((ended) => {
      if (this.#loginThread === ended) this.#loginThread = null
    })
    const thread = this.#loginThread
    this.#logins++
    try {
      const answer = await thread.call<ImapPlace>('login', [{ account, reach: this.#reach } satisfies SessionPlan])
      return 'value' in answer ? answer.value : loginFault(answer)
    } finally {
      this.#logins--
      if (this.#logins === 0) this.#cancelIdle = this.#clock.after(IMAP_LOGIN_IDLE_MS, () => this.#endLogins())
    }
  }

  /** Ends all threads. Calls under way answer that the connection ended. */
  async close(): Promise<void> {
    this.#cancelIdle()
    await Promise.all([...this.#all].map((thread) => thread.end()))
  }

  /** The next login starts another thread: this one takes a moment to end. */
  #endLogins(): void {
    const thread = this.#loginThread
    this.#loginThread = null
    void thread?.end()
  }

  #start(onEnd: (thread: ImapThread) => void = () => {}): ImapThread {
    const thread = new ImapThread(this.#clock, () => {
      this.#all.delete(thread)
      onEnd(thread)
    })
    this.#all.add(thread)
    return thread
  }
}

const LOGIN_CODES: { readonly [fault in SourceFault]: ImapLoginFault['code'] } = {
  authentication: 'source_authentication_failed',
  untrusted: 'source_tls_untrusted',
  unreachable: 'source_unreachable',
  cut: 'source_unreachable',
  throttled: 'source_unreachable',
  unusable: 'source_unreachable',
}

function loginFault({ fault, message }: Extract<SessionAnswer<never>, { fault: unknown }>): ImapLoginFault {
  return { code: LOGIN_CODES[fault], message }
}

class ImapThread {
  readonly #worker: Worker
  readonly #rpc: RpcClient
  readonly #clock: Clock
  #cancelWatch: () => void

  constructor(clock: Clock, ended: () => void) {
    this.#clock = clock
    this.#worker = new Worker(new URL('./imap-thread.ts', import.meta.url), {
      resourceLimits: { maxOldGenerationSizeMb: IMAP_THREAD_HEAP_MIB },
    })
    // The threads do not keep the process alive.
    this.#worker.unref()
    this.#rpc = new RpcClient(this.#worker, () => this.#watch())
    this.#cancelWatch = () => {}
    this.#watch()
    const died = () => {
      this.#cancelWatch()
      this.#rpc.end(new Error('a thread that speaks IMAP has ended'))
      ended()
    }
    this.#worker.on('error', died)
    this.#worker.on('exit', died)
  }

  /** Never rejects: a thread that died had a server that killed it. */
  async call<T>(method: string, args: readonly unknown[]): Promise<SessionAnswer<T>> {
    try {
      return await this.#rpc.call<SessionAnswer<T>>(method, args)
    } catch {
      return { fault: 'unusable', message: 'The answers of the server cannot be read.', until: null }
    }
  }

  async end(): Promise<void> {
    this.#cancelWatch()
    await this.#worker.terminate()
  }

  /** Each sign of life begins the time anew. */
  #watch(): void {
    this.#cancelWatch()
    this.#cancelWatch = this.#clock.after(IMAP_DEAD_MS, () => void this.end())
  }
}

/** The account and its password go to the thread with each call; nothing else holds them. */
class SessionInThread implements ImapSessionCalls {
  readonly #plan: SessionPlan
  readonly #start: () => ImapThread
  #thread: ImapThread | null = null
  #isClosed = false

  constructor(plan: SessionPlan, start: () => ImapThread) {
    this.#plan = plan
    this.#start = start
  }

  folders(): ReturnType<ImapSessionCalls['folders']> {
    return this.#call('folders')
  }

  summaries(...args: Parameters<ImapSessionCalls['summaries']>): ReturnType<ImapSessionCalls['summaries']> {
    const [{ key, generation }, after] = args
    return this.#call('summaries', { key, generation }, after)
  }

  messages(...args: Parameters<ImapSessionCalls['messages']>): ReturnType<ImapSessionCalls['messages']> {
    const [{ key, generation }, requests, maxOctets] = args
    return this.#call('messages', { key, generation }, requests, maxOctets)
  }

  async close(): Promise<void> {
    this.#isClosed = true
    await this.#thread?.end()
  }

  #call<T>(method: string, ...args: readonly unknown[]): Promise<SessionAnswer<T>> {
    if (this.#isClosed) return Promise.resolve({ fault: 'cut', message: 'The import has ended.', until: null })
    this.#thread ??= this.#start()
    return this.#thread.call<T>(method, [this.#plan, ...args])
  }
}

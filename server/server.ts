/** Creates, starts and stops a server. Parts start in an order in which nothing is accepted before it can be stored. */
import type { Server as NetServer } from 'node:net'
import { type FolderLock, lockFolder } from '../storage/folder-lock.ts'
import { STOP_MS } from './base/limits.ts'
import { READS_END_MS, READS_STOP_MS } from './base/reading-limits.ts'
import type { Context, ContextOptions } from './context.ts'
import { createContext } from './context.ts'
import { type DevCredentials, ensureDevCredentials } from './dev/credentials.ts'
import { ensureDataFolder } from './startup/data-folder.ts'
import { requireFreePorts, settleHttpPort } from './startup/free-ports.ts'
import { type ReadyReport, readyReport } from './startup/ready-report.ts'
import { markForCheck } from './startup/sound-database.ts'

export interface StartedServer {
  readonly report: ReadyReport
  /** Dev mode's; null otherwise. */
  readonly credentials: DevCredentials | null
}

export class Server {
  readonly #context: Context
  readonly #lock: FolderLock
  /** Of the port of HTTP, until the listener takes it over. */
  #socket: NetServer | null
  #stopping: Promise<boolean> | null = null

  /** The next start looks at the whole database. */
  markForCheck(why: string): void {
    markForCheck(this.#context.config.data, why)
  }

  private constructor(context: Context, lock: FolderLock, socket: NetServer | null) {
    this.#context = context
    this.#lock = lock
    this.#socket = socket
  }

  /** Opens everything except the listeners. @throws Failure `configuration` and failures of the store; nothing stays open then */
  static async create(options: ContextOptions): Promise<Server> {
    const { config, logger } = options
    await requireFreePorts(config)
    const { openToOthers } = ensureDataFolder(config.data)
    if (openToOthers) logger.warn({ folder: config.data }, 'users other than its owner can read the data folder')
    const lock = lockFolder(config.data)
    let socket: NetServer | null = null
    try {
      const settled = await settleHttpPort(config)
      socket = settled.socket
      return new Server(await createContext({ ...options, config: settled.config }), lock, socket)
    } catch (error) {
      socket?.close()
      lock.release()
      throw error
    }
  }

  /** @throws Failure `configuration` that names the port that cannot be opened; everything is closed then */
  async start(): Promise<StartedServer> {
    const { config, core, http, mta, workers, logger } = this.#context
    try {
      const credentials = config.dev ? await ensureDevCredentials(core, config.data, logger) : null
      const web = await http.start(config.bind, config.http.port, this.#socket)
      this.#socket = null
      const mail = await mta.start()
      for (const worker of workers) await worker.start()
      const report = readyReport(config.bind, {
        http: web.port,
        smtp: mail.inbound!.port,
        submission: mail.submission!.port,
        submissions: mail.submissions!.port,
      })
      if (!config.dev) await this.#warn(web.port)
      logger.info({ ...report, outbound: config.outbound.kind }, 'ready')
      return { report, credentials }
    } catch (error) {
      await this.stop()
      throw error
    }
  }

  /** Warns of settings that are not fit for production. */
  async #warn(port: number): Promise<void> {
    const { config, core, logger } = this.#context
    if ((await core.organizations()).length === 0)
      logger.warn({}, 'there is no organization yet: `posthouse setup` creates one')
    if (!config.tls) logger.warn({}, 'SMTP uses a self-signed certificate: set tls_cert and tls_key')
    if (config.http.baseUrl === null)
      logger.warn({}, `base_url is not set: URLs in answers begin with http://${config.hostname}:${port}`)
    if (!config.http.baseUrl?.startsWith('https:'))
      logger.warn(
        {},
        'HTTP carries passwords in plain text: put a proxy with TLS in front of it and set base_url to its address',
      )
  }

  /** Accepts nothing more, finishes what was accepted, and closes, within STOP_MS. @returns whether no thread still reads, which would hold up the exit of the process */
  stop(): Promise<boolean> {
    this.#stopping ??= this.#stop()
    return this.#stopping
  }

  async #stop(): Promise<boolean> {
    const { http, mta, workers, clock, logger } = this.#context
    this.#socket?.close()
    const { promise: tooLate, resolve } = Promise.withResolvers<'too late'>()
    const cancel = clock.after(STOP_MS, () => resolve('too late'))
    // Long reads would take longer than there is time.
    clock.after(READS_STOP_MS, () => void this.#context.endReads())
    const stopped = Promise.all([http.stop(), mta.stop(), ...workers.map((worker) => worker.stop())])
      .then(() => this.#context.close())
      .then(() => 'stopped' as const)
    // Interrupted work was not acknowledged.
    if ((await Promise.race([stopped, tooLate])) === 'too late')
      logger.warn({}, 'stopped before everything had finished')
    cancel()
    this.#lock.release()
    const { promise: stuck, resolve: giveUp } = Promise.withResolvers<boolean>()
    clock.after(READS_END_MS, () => giveUp(false))
    const ended = await Promise.race([this.#context.endReads().then(() => true), stuck])
    logger.info({}, 'stopped')
    return ended
  }
}

/** A server that imports mail, for scripts that compare what it stored with what the source has. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { JmapAccount } from '../../../server/cli/transfer/jmap-account.ts'
import type { FreshDatabase } from '../../../spec/support/postgres.ts'
import { cpuMs } from '../../bench/support/cpu.ts'
import { killAtWork, PROCESSED } from '../../crash/support/import-kills.ts'
import { DATABASE } from '../../crash/support/judge.ts'
import { openLook } from '../../crash/support/look.ts'
import {
  type Addresses,
  type Installation,
  type ServerProcess,
  setUp,
  startServer,
} from '../../crash/support/process.ts'

export interface ImportView {
  readonly id: string
  readonly status: string
  readonly counters: { readonly [name: string]: number }
  readonly error: { readonly message: string } | null
  readonly failures: readonly object[]
}

/** The server under test, which may reach sources on loopback: it may be killed and started again on the same data. */
export class ImportSubject {
  readonly #folder = mkdtempSync(join(tmpdir(), 'posthouse-imports-'))
  readonly #data = join(this.#folder, 'data')
  readonly #settings: readonly string[]
  readonly #database: FreshDatabase | null
  #installation: Installation | null = null
  #server: ServerProcess | null = null
  #addresses: Addresses | null = null

  /** @param ca PEM of the authority of the source's certificate. @param database null: SQLite */
  constructor(ca: string, database: FreshDatabase | null) {
    const file = join(this.#folder, 'ca.pem')
    writeFileSync(file, ca)
    this.#database = database
    const connection = database ? [`--database=${database.url}`] : []
    this.#settings = ['--import-allow-private-cidrs=127.0.0.0/8', `--import-tls-ca=${file}`, ...connection]
  }

  async start(): Promise<void> {
    this.#installation ??= await setUp(this.#data, this.#database ? [`--database=${this.#database.url}`] : [])
    this.#server = startServer(this.#data, [], this.#settings)
    this.#addresses = await this.#server.ready
    if (!this.#addresses) throw new Error('the server ended before it was ready')
  }

  async stop(): Promise<void> {
    this.#server?.child.kill('SIGTERM')
    await this.#server?.exited
  }

  /** Kills it while it imports `whole` messages, and starts it again. @returns how many kills came while it was at work */
  async kill(times: number, whole: number, random: () => number): Promise<number> {
    await this.stop()
    const look = await openLook(this.#database?.url ?? join(this.#data, DATABASE))
    const start = () => startServer(this.#data, [], this.#settings)
    const middle = await killAtWork(times, { look, start, random, progress: PROCESSED, whole })
    await look.close()
    await this.start()
    return middle
  }

  async remove(): Promise<void> {
    await this.stop()
    rmSync(this.#folder, { recursive: true, force: true })
    await this.#database?.drop()
  }

  cpu(): number {
    return cpuMs(this.#server!.child.pid!)
  }

  account(): Promise<JmapAccount> {
    const { mailbox, api_key } = this.#installation!
    return JmapAccount.open(this.#addresses!.http, `Bearer ${api_key}`, mailbox.address)
  }

  async call(method: 'GET' | 'POST', path: string, body?: object): Promise<ImportView> {
    const { mailbox, api_key } = this.#installation!
    const headers = { authorization: `Bearer ${api_key}`, 'content-type': 'application/json' }
    const url = `${this.#addresses!.http}/api/v1/mailboxes/${mailbox.id}/imports${path}`
    const response = await fetch(url, { method, headers, ...(body && { body: JSON.stringify(body) }) })
    const answer = (await response.json()) as ImportView
    if (!response.ok) throw new Error(`${path}: ${response.status} ${JSON.stringify(answer)}`)
    return answer
  }
}

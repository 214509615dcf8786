/** Writes over JMAP while mail comes in: imports messages, then numbers them again and again by keyword, remembering what was acknowledged. */
import { join } from 'node:path'
import Database from 'better-sqlite3'
import type { AckLog } from './attempts.ts'
import { attemptMessage } from './attempts.ts'
import type { Installation } from './process.ts'

// biome-ignore lint/suspicious/noExplicitAny: responses are looked into, not modelled
type Loose = any

const USING = ['urn:ietf:params:jmap:core', 'urn:ietf:params:jmap:mail']

export class JmapWriter {
  /** Attempt id of an imported message to the number of the newest keyword that was acknowledged for it. */
  readonly acknowledged = new Map<string, string>()
  readonly #http: string
  readonly #installation: Installation
  readonly #log: AckLog
  #mailbox = ''

  constructor(http: string, installation: Installation, log: AckLog) {
    this.#http = http
    this.#installation = installation
    this.#log = log
  }

  async open(): Promise<void> {
    const { ids } = await this.#call('Mailbox/query', { filter: { role: 'archive' } })
    this.#mailbox = ids[0]
  }

  /** Until `stopped`, or until the server is gone. */
  async run(stopped: () => boolean): Promise<void> {
    try {
      for (let round = 0; !stopped(); round++) await this.#round(round)
    } catch {
      // The server was cut off in the midst of a call: nothing was acknowledged.
    }
  }

  async #round(round: number): Promise<void> {
    const id = `jmap-${round}.0`
    this.#log.attempt(id)
    const { id: account } = this.#installation.mailbox
    const upload = await this.#post(`/jmap/upload/${account}`, attemptMessage(id), 'message/rfc822')
    const emails = { m: { blobId: upload.blobId, mailboxIds: { [this.#mailbox]: true } } }
    const { created } = await this.#call('Email/import', { emails })
    this.#log.acknowledge(id)
    const emailId = created.m.id as string
    for (let number = 1; number <= 3; number++) {
      const { updated } = await this.#call('Email/set', {
        update: { [emailId]: { keywords: { [`n${number}`]: true } } },
      })
      if (emailId in updated) this.acknowledged.set(id, `n${number}`)
    }
  }

  async #call(name: string, args: object): Promise<Loose> {
    const methodCalls = [[name, { accountId: this.#installation.mailbox.id, ...args }, '0']]
    const body = JSON.stringify({ using: USING, methodCalls })
    const { methodResponses } = await this.#post('/jmap/api', body, 'application/json')
    return methodResponses[0][1]
  }

  async #post(path: string, body: string | Buffer, type: string): Promise<Loose> {
    const headers = { authorization: `Bearer ${this.#installation.api_key}`, 'content-type': type }
    const response = await fetch(`${this.#http}${path}`, {
      method: 'POST',
      headers,
      body: typeof body === 'string' ? body : new Uint8Array(body),
    })
    if (!response.ok) throw new Error(`${path}: ${response.status}`)
    return response.json()
  }

  /** Messages whose keyword is older than the one that was acknowledged. */
  static wrongIn(data: string, acknowledged: ReadonlyMap<string, string>): string[] {
    const database = new Database(join(data, 'posthouse.db'), { readonly: true })
    const rows = database.prepare('select e.keywords, e.packed from email e').all() as {
      keywords: string
      packed: string
    }[]
    database.close()
    const keywords = new Map<string, string>()
    for (const { keywords: text, packed } of rows) {
      const id = /"Attempt (jmap-[0-9]+\.0)"/.exec(packed)?.[1]
      if (id) keywords.set(id, Object.keys(JSON.parse(text) as object)[0] ?? '')
    }
    // The next one may have been committed before its answer was read.
    return [...acknowledged].filter(([id, least]) => !((keywords.get(id) ?? '') >= least)).map(([id]) => id)
  }
}

/**
 * Writes over JMAP while mail arrives, and records acknowledged changes: imports messages, changes a keyword of each repeatedly, queues
 * mail and cancels it.
 */
import type { Store } from '../../../storage/ports.ts'
import { type AckLog, attemptMessage } from './attempts.ts'
import type { Installation } from './process.ts'

// biome-ignore lint/suspicious/noExplicitAny: responses are looked into, not modelled
type Loose = any

const USING = ['urn:ietf:params:jmap:core', 'urn:ietf:params:jmap:mail', 'urn:ietf:params:jmap:submission']

/** Acknowledged changes beside the existence of messages. */
export interface KnownChanges {
  /** Attempt id of an imported message to its newest keyword. */
  readonly keywords: ReadonlyMap<string, string>
  /** Recipient of a submission to its acknowledged state. */
  readonly submissions: ReadonlyMap<string, 'queued' | 'canceled'>
}

export class JmapWriter {
  readonly #keywords = new Map<string, string>()
  readonly #submissions = new Map<string, 'queued' | 'canceled'>()
  readonly #http: string
  readonly #installation: Installation
  readonly #log: AckLog
  #archive = ''
  #identity = ''
  #draft = ''

  constructor(http: string, installation: Installation, log: AckLog) {
    this.#http = http
    this.#installation = installation
    this.#log = log
  }

  async open(): Promise<void> {
    const { ids } = await this.#call('Mailbox/query', { filter: { role: 'archive' } })
    this.#archive = ids[0]
    const { list } = await this.#call('Identity/get', { ids: null })
    this.#identity = list[0].id
    const { address } = this.#installation.mailbox
    const email = { mailboxIds: { [this.#archive]: true }, from: [{ email: address }], subject: 'To be sent' }
    const { created } = await this.#call('Email/set', { create: { e: email } })
    this.#draft = created.e.id
  }

  /** The present ones. */
  known(): KnownChanges {
    return { keywords: new Map(this.#keywords), submissions: new Map(this.#submissions) }
  }

  /** Runs until `stopped`, or until the server is gone. */
  async run(stopped: () => boolean): Promise<void> {
    try {
      for (let round = 0; !stopped(); round++) {
        await this.#import(round)
        await this.#submit(round)
      }
    } catch (error) {
      // The server was killed during a call: nothing was acknowledged.
      if (!stopped()) throw error
    }
  }

  async #import(round: number): Promise<void> {
    const id = `jmap-${round}.0`
    this.#log.attempt(id)
    const { id: account } = this.#installation.mailbox
    const upload = await this.#post(`/jmap/upload/${account}`, attemptMessage(id), 'message/rfc822')
    const emails = { m: { blobId: upload.blobId, mailboxIds: { [this.#archive]: true } } }
    const { created } = await this.#call('Email/import', { emails })
    const emailId = created.m.id as string
    this.#log.acknowledge(id)
    for (let number = 1; number <= 3; number++) {
      const update = { [emailId]: { keywords: { [`n${number}`]: true } } }
      const { updated } = await this.#call('Email/set', { update })
      if (!(emailId in updated)) throw new Error(`${emailId} was not updated`)
      this.#keywords.set(id, `n${number}`)
    }
  }

  /** A held submission, so that it can be canceled. */
  async #submit(round: number): Promise<void> {
    const recipient = `to-${round}@example.org`
    const mailFrom = { email: this.#installation.mailbox.address, parameters: { HOLDFOR: '86400' } }
    const envelope = { mailFrom, rcptTo: [{ email: recipient, parameters: null }] }
    const submission = { identityId: this.#identity, emailId: this.#draft, envelope }
    const { created } = await this.#call('EmailSubmission/set', { create: { s: submission } })
    const id = created.s.id as string
    this.#submissions.set(recipient, 'queued')
    const { updated } = await this.#call('EmailSubmission/set', { update: { [id]: { undoStatus: 'canceled' } } })
    if (!(id in updated)) throw new Error(`${id} was not canceled`)
    this.#submissions.set(recipient, 'canceled')
  }

  async #call(name: string, args: object): Promise<Loose> {
    const methodCalls = [[name, { accountId: this.#installation.mailbox.id, ...args }, '0']]
    const body = JSON.stringify({ using: USING, methodCalls })
    const { methodResponses } = await this.#post('/jmap/api', body, 'application/json')
    return methodResponses[0][1]
  }

  async #post(path: string, body: string | Buffer, type: string): Promise<Loose> {
    const { address, password } = this.#installation.mailbox
    const authorization = `Basic ${Buffer.from(`${address}:${password}`).toString('base64')}`
    const response = await fetch(`${this.#http}${path}`, {
      method: 'POST',
      headers: { authorization, 'content-type': type },
      body: typeof body === 'string' ? body : new Uint8Array(body),
    })
    if (!response.ok) throw new Error(`${path}: ${response.status}`)
    return response.json()
  }
}

/** Differences from the acknowledged changes. The next step may have been committed before its response was read. */
export async function wrongChanges(store: Store, known: KnownChanges): Promise<string[]> {
  const emails = await store.read((reader) =>
    reader.sql.query((db) => db.selectFrom('email').select(['keywords', 'packed'])),
  )
  const submissions = await store.read((reader) =>
    reader.sql.query((db) =>
      db
        .selectFrom('submission_recipient')
        .innerJoin('submission', (join) =>
          join
            .onRef('submission.account', '=', 'submission_recipient.account')
            .onRef('submission.id', '=', 'submission_recipient.submission'),
        )
        .select(['submission_recipient.address', 'submission.undo_status', 'submission.due_at']),
    ),
  )
  const keywords = new Map<string, string>()
  for (const { keywords: text, packed } of emails) {
    const id = /"Attempt (jmap-[0-9]+\.0)"/.exec(packed)?.[1]
    if (id) keywords.set(id, Object.keys(JSON.parse(text) as object)[0] ?? '')
  }
  const progress = new Map(
    submissions.map((row) => [
      row.address,
      row.undo_status === 'canceled' && row.due_at === null ? ('canceled' as const) : ('queued' as const),
    ]),
  )
  const behind = [...known.keywords].filter(([id, least]) => !((keywords.get(id) ?? '') >= least))
  const undone = [...known.submissions].filter(
    ([recipient, least]) => progress.get(recipient) !== 'canceled' && progress.get(recipient) !== least,
  )
  return [...behind, ...undone].map(([name, least]) => `${name} is not ${least}`)
}

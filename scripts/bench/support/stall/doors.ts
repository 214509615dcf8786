/** The ways of a message into the server: each submits one, and returns the result in a word. */
import { request } from 'node:http'
import { SmtpClient } from '../../../../spec/support/smtp-client.ts'
import type { Ready } from '../posthouse.ts'

export interface Door {
  readonly name: string
  take(message: Buffer): Promise<string>
}

interface Answer {
  readonly status: number
  readonly body: Buffer
}

type Call = readonly [name: string, args: object, callId: string]

/** Header fields of a draft. */
const FIELDS = 2_000
/** Octets of a message that are sent as a text. */
const TEXT_MAX_BYTES = 4_000_000

const USING = ['urn:ietf:params:jmap:core', 'urn:ietf:params:jmap:mail', 'urn:ietf:params:jmap:blob']

export async function doorsOf(server: Ready): Promise<Door[]> {
  const { mailbox, smtp, submission } = server
  const jmap = new Jmap(server)
  const inbox = await jmap.inbox()
  const rest = (path: string, body: object) =>
    send(`${server.http}/api/v1${path}`, `Bearer ${server.api_key}`, Buffer.from(JSON.stringify(body)))
  return [
    { name: 'SMTP', take: (message) => bySmtp(smtp.port, mailbox.address, message) },
    { name: 'submission', take: (message) => bySubmission(submission.port, mailbox, message) },
    { name: 'Email/import', take: async (message) => jmap.importBlob(await jmap.upload(message), inbox) },
    { name: 'Email/parse', take: async (message) => jmap.parse(await jmap.upload(message)) },
    { name: 'upload, parts and digests', take: async (message) => jmap.readParts(await jmap.upload(message)) },
    {
      name: 'Email/set',
      take: async (message) => {
        const outcomes = []
        for (const draft of draftsOf(message)) outcomes.push(await jmap.create(draft, inbox))
        return outcomes.join(', ')
      },
    },
    {
      name: 'REST send',
      take: async (message) => {
        const body = { ...restMessage(mailbox.address, message), html: textOf(message) }
        return String((await rest('/messages', body)).status)
      },
    },
    {
      name: 'REST batch',
      take: async (message) => {
        const messages = Array.from({ length: 100 }, () => restMessage(mailbox.address, message))
        return String((await rest('/messages/batch', { messages })).status)
      },
    },
  ]
}

/** A message that ends with CRLF. */
export async function bySmtp(port: number, recipient: string, message: Buffer): Promise<string> {
  const client = await SmtpClient.connect(port)
  await client.command('EHLO bench.example.org')
  const reply = await client.send('sender@example.org', [recipient], message.subarray(0, -2))
  client.end()
  return reply.slice(0, 9)
}

async function bySubmission(port: number, { address, password }: Ready['mailbox'], message: Buffer): Promise<string> {
  const client = await SmtpClient.connect(port)
  await client.command('EHLO bench.example.org')
  await client.startTls()
  const login = Buffer.from(`\0${address}\0${password}`).toString('base64')
  await client.commands(['EHLO bench.example.org', '250'], [`AUTH PLAIN ${login}`, '235'])
  // In place of the first field, which is From.
  const rest = message.subarray(message.indexOf('\n') + 1)
  const own = Buffer.concat([Buffer.from(`Date: Fri, 20 Nov 2026 10:00:00 +0100\r\nFrom: ${address}\r\n`), rest])
  const reply = await client.send(address, [address], own.subarray(0, -2))
  client.end()
  return reply.slice(0, 9)
}

class Jmap {
  readonly #server: Ready
  readonly #authorization: string

  constructor(server: Ready) {
    const { address, password } = server.mailbox
    this.#server = server
    this.#authorization = `Basic ${Buffer.from(`${address}:${password}`).toString('base64')}`
  }

  async inbox(): Promise<string> {
    const { list, ...rest } = await this.#call('Mailbox/get', { ids: null, properties: ['role'] })
    if (!list) throw new Error(`Mailbox/get: ${JSON.stringify(rest)}`)
    return (list as { id: string; role: string }[]).find(({ role }) => role === 'inbox')!.id
  }

  async upload(message: Buffer): Promise<string> {
    const { http, mailbox } = this.#server
    const { status, body } = await send(
      `${http}/jmap/upload/${mailbox.id}`,
      this.#authorization,
      message,
      'message/rfc822',
    )
    if (status !== 201) throw new Error(`upload: ${status} ${body.toString()}`)
    return (JSON.parse(body.toString()) as { blobId: string }).blobId
  }

  async importBlob(blobId: string, inbox: string): Promise<string> {
    const emails = { e: { blobId, mailboxIds: { [inbox]: true } } }
    const { created, notCreated } = await this.#call('Email/import', { emails })
    return created ? 'created' : (notCreated as { e: { type: string } }).e.type
  }

  async parse(blobId: string): Promise<string> {
    const { parsed } = await this.#call('Email/parse', { blobIds: [blobId] })
    return parsed ? 'parsed' : 'notParsable'
  }

  /** The parts of a message by their ids, to the innermost that can be reached, and digests of the whole. */
  async readParts(blobId: string): Promise<string> {
    const { http, mailbox } = this.#server
    let reached = 0
    for (let id: string | undefined = blobId; id !== undefined && reached < 10; reached++) {
      await send(`${http}/jmap/download/${mailbox.id}/${id}/x?type=text/plain`, this.#authorization)
      const { parsed } = await this.#call('Email/parse', { blobIds: [id], properties: ['attachments', 'textBody'] })
      type Parts = { attachments: { blobId: string }[]; textBody: { blobId: string }[] }
      const parts: Parts | undefined = (parsed as { [id: string]: Parts } | null)?.[id]
      id = (parts?.attachments[0] ?? parts?.textBody[0])?.blobId
    }
    const properties = ['digest:sha-256', 'digest:sha-512', 'size']
    await this.#call('Blob/get', { ids: [blobId], properties })
    return `${Math.min(reached, 2)} deep`
  }

  /** A draft with the properties that a client gives. */
  async create(properties: object, inbox: string): Promise<string> {
    const { created, notCreated } = await this.#call('Email/set', {
      create: { e: { mailboxIds: { [inbox]: true }, subject: 'x', ...properties } },
    })
    return created ? 'created' : (notCreated as { e: { type: string } }).e.type
  }

  async #call(name: string, args: object): Promise<{ readonly [name: string]: unknown }> {
    const { http, mailbox } = this.#server
    const call: Call = [name, { accountId: mailbox.id, ...args }, '0']
    const body = Buffer.from(JSON.stringify({ using: USING, methodCalls: [call] }))
    const answer = await send(`${http}/jmap/api`, this.#authorization, body)
    if (answer.status !== 200) return { notCreated: { e: { type: String(answer.status) } } }
    const { methodResponses } = JSON.parse(answer.body.toString()) as { methodResponses: [string, object][] }
    const [[response, result]] = methodResponses as [[string, { [name: string]: unknown }]]
    if (response === 'error') return { notCreated: { e: { type: String(result['type']) } }, parsed: null }
    return result
  }
}

/** A twentieth of a message in header fields of its own, far more than may be, and its beginning as HTML; of an ordinary message in its text. */
function draftsOf(message: Buffer): object[] {
  const octets = Math.max(FIELDS, Math.floor(message.length / 20))
  const body = (type: string, value: string) => ({
    [type === 'text/html' ? 'htmlBody' : 'textBody']: [{ partId: '1', type }],
    bodyValues: { 1: { value } },
  })
  if (isOrdinary(message)) return [body('text/plain', 'word '.repeat(octets / 5)), body('text/html', textOf(message))]
  const value = ` ${'y'.repeat(octets / FIELDS)}`
  return [
    Object.fromEntries(Array.from({ length: FIELDS }, (_, at) => [`header:X-Field-${at}`, value])),
    body('text/html', textOf(message)),
  ]
}

/** What fits into a request, as a client writes it. */
function textOf(message: Buffer): string {
  return message.toString('latin1', 0, TEXT_MAX_BYTES).replaceAll('\r\n', '\n')
}

function isOrdinary(message: Buffer): boolean {
  return message.toString('latin1', 0, 200).includes('Subject: ordinary')
}

/** As many own header fields as REST takes, each as large as may be. An ordinary message has the octets in its text. */
function restMessage(from: string, message: Buffer): { readonly [name: string]: unknown } {
  const basic = { from, to: from, subject: 'x' }
  if (isOrdinary(message)) return { ...basic, text: 'word '.repeat(40_000) }
  const headers = Object.fromEntries(Array.from({ length: 50 }, (_, at) => [`X-Field-${at}`, 'y '.repeat(1_999)]))
  return { ...basic, headers, text: 'x' }
}

export function send(url: string, authorization: string, body?: Buffer, type = 'application/json'): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const headers = { authorization, ...(body && { 'content-type': type, 'content-length': body.length }) }
    const call = request(url, { method: body ? 'POST' : 'GET', headers, agent: false }, (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('end', () => resolve({ status: response.statusCode ?? 0, body: Buffer.concat(chunks) }))
      response.on('error', reject)
    })
    call.on('error', reject)
    call.end(body)
  })
}

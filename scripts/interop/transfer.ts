/**
 * Mail through another server, both ways: real messages through it into a mailbox here, and from here through it to a server that
 * stores them. Every body must arrive unchanged. Exits 1 if one does not. Postfix must be installed (Debian: postfix); Exim is unpacked
 * from its package if it is not.
 *
 *     node scripts/interop/transfer.ts [--peers postfix,exim] [--messages 200]
 */
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { SMTPServer } from 'smtp-server'
import { SmtpClient } from '../../spec/support/smtp-client.ts'
import { freePort, listening } from '../bench/support/ports.ts'
import { hasPostfix, startPostfix } from '../bench/support/postfix.ts'
import { type Running, startPosthouse } from '../bench/support/posthouse.ts'
import { wholeNumber } from '../whole-number.ts'
import { bodyHash, type CorpusMessage, contentFields, corpusMessages, split } from './support/corpus-messages.ts'
import { startExim } from './support/exim.ts'
import type { Peer } from './support/peer.ts'

const { values } = parseArgs({
  options: { peers: { type: 'string', default: 'postfix,exim' }, messages: { type: 'string', default: '200' } },
})
const PATIENCE_MS = 60_000
const POLL_MS = 500
const CONNECTIONS = 10
const messages = corpusMessages(wholeNumber(values, 'messages'))

const PEERS: { readonly [name: string]: (port: number, relayTo: number) => Peer } = {
  postfix(port, relayTo) {
    if (!hasPostfix()) throw new Error('Postfix is not installed')
    const instance = startPostfix(port, relayTo, CONNECTIONS)
    instance.drain()
    return { port, stop: async () => instance.stop() }
  },
  exim: startExim,
}

/** Number of a message to the hash of its body. */
type Hashes = Map<number, string>

const MARK = 'X-Interop'

function marked(number: number, header: string, body: string): string {
  const text = `${MARK}: ${number}\r\n${header}\r\n${body}`
  return (body.endsWith('\r\n') || body === '' ? text : `${text}\r\n`).replace(/(^|\r\n)\./g, '$1..')
}

async function sendAll(open: () => Promise<SmtpClient>, from: string, to: string, texts: string[]): Promise<void> {
  const client = await open()
  for (const text of texts) {
    await client.commands([`MAIL FROM:<${from}> BODY=8BITMIME`, '250'], [`RCPT TO:<${to}>`, '250'], ['DATA', '354'])
    client.write(Buffer.from(text, 'latin1'))
    const reply = await client.command('.')
    if (!reply.startsWith('250')) throw new Error(`a message was refused: ${reply}`)
  }
  client.end()
}

async function opened(port: number): Promise<SmtpClient> {
  const client = await SmtpClient.connect(port)
  await client.commands(['EHLO interop.example.org', '250'])
  return client
}

/** Messages that arrive in the mailbox. */
async function received({ http, mailbox, api_key }: Running): Promise<Hashes> {
  const accountId = mailbox.id
  const headers = { authorization: `Bearer ${api_key}`, 'content-type': 'application/json' }
  const methodCalls = [
    ['Email/query', { accountId, limit: 5_000 }, 'q'],
    [
      'Email/get',
      { accountId, '#ids': { resultOf: 'q', name: 'Email/query', path: '/ids' }, properties: ['blobId'] },
      'g',
    ],
  ]
  const using = ['urn:ietf:params:jmap:core', 'urn:ietf:params:jmap:mail']
  const body = JSON.stringify({ using, methodCalls })
  const response = await fetch(`${http}/jmap/api`, { method: 'POST', headers, body })
  const { methodResponses } = (await response.json()) as {
    methodResponses: [string, { list?: { blobId: string }[] }][]
  }
  const hashes: Hashes = new Map()
  for (const { blobId } of methodResponses[1]?.[1].list ?? []) {
    const raw = await fetch(`${http}/jmap/download/${accountId}/${blobId}/m`, { headers })
    note(hashes, Buffer.from(await raw.arrayBuffer()).toString('latin1'))
  }
  return hashes
}

function note(hashes: Hashes, text: string): void {
  const message = split(text)
  const number = new RegExp(`^${MARK}: (\\d+)`, 'm').exec(message?.header ?? '')
  if (message && number) hashes.set(Number(number[1]), bodyHash(message.body))
}

async function inbound(start: (typeof PEERS)[string]): Promise<Hashes> {
  const server = await startPosthouse()
  const peer = start(await freePort(), server.smtp.port)
  try {
    await listening(peer.port)
    const texts = messages.map(({ header, body }, i) => marked(i, header, body))
    await sendAll(() => opened(peer.port), 'sender@example.org', server.mailbox.address, texts)
    return await patiently(() => received(server))
  } finally {
    await peer.stop()
    await server.stop()
  }
}

async function outbound(start: (typeof PEERS)[string]): Promise<Hashes> {
  const hashes: Hashes = new Map()
  const sink = await startSink((text) => note(hashes, text))
  const peer = start(await freePort(), sink.port)
  const server = await startPosthouse(['--outbound', `smtp://127.0.0.1:${peer.port}`])
  try {
    await listening(peer.port)
    const { address, password } = server.mailbox
    const login = Buffer.from(`\0${address}\0${password}`).toString('base64')
    const open = async () => {
      const client = await SmtpClient.connect(server.submission.tls_port, { tls: true })
      await client.commands(['EHLO interop.example.org', '250'], [`AUTH PLAIN ${login}`, '235'])
      return client
    }
    const texts = messages.map((message, i) => marked(i, ownHeader(message, address), message.body))
    await sendAll(open, address, 'somebody@example.org', texts)
    return await patiently(async () => hashes)
  } finally {
    await server.stop()
    await peer.stop()
    await sink.stop()
  }
}

/** The server refuses foreign senders, so From is replaced; the body and its description stay. */
function ownHeader({ header }: CorpusMessage, address: string): string {
  return `From: <${address}>\r\nTo: somebody@example.org\r\nSubject: interop\r\n${contentFields(header)}`
}

async function startSink(keep: (text: string) => void): Promise<{ port: number; stop(): Promise<void> }> {
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS', 'AUTH'],
    disableReverseLookup: true,
    onData(stream, _session, done) {
      const chunks: Buffer[] = []
      stream.on('data', (chunk: Buffer) => chunks.push(chunk))
      stream.on('end', () => {
        keep(Buffer.concat(chunks).toString('latin1'))
        done()
      })
    },
  })
  server.on('error', () => {})
  const listener = server.listen(0, '127.0.0.1')
  await once(listener, 'listening')
  const stop = () => new Promise<void>((resolve) => server.close(resolve))
  return { port: (listener.address() as AddressInfo).port, stop }
}

async function patiently(look: () => Promise<Hashes>): Promise<Hashes> {
  for (let waited = 0; ; waited += POLL_MS) {
    const hashes = await look()
    if (hashes.size >= messages.length || waited > PATIENCE_MS) return hashes
    await sleep(POLL_MS)
  }
}

function report(what: string, hashes: Hashes): void {
  const same = messages.filter(({ body }, i) => hashes.get(i) === bodyHash(body)).length
  const changed = messages.flatMap(({ body }, i) => {
    const hash = hashes.get(i)
    return hash !== undefined && hash !== bodyHash(body) ? [i] : []
  })
  const missing = messages.length - hashes.size
  const others = `${missing} missing, ${changed.length} with another body${changed.length > 0 ? ` (${changed.slice(0, 10).join(', ')})` : ''}`
  console.log(`${what}: ${same} of ${messages.length} with the same body, ${others}`)
  if (same !== messages.length) process.exitCode = 1
}

for (const name of values.peers.split(',')) {
  const start = PEERS[name]
  if (!start) throw new Error(`there is no peer ${name}`)
  report(`${name} -> posthouse`, await inbound(start))
  report(`posthouse -> ${name}`, await outbound(start))
}

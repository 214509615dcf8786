/**
 * Promise S2: bodies with 49 kinds of line ends around a dot, submitted over JMAP, REST and SMTP, reach a recording server as one message
 * each, directly and through Postfix and Exim. Exits 1 if a second message, a bare CR or LF, or a lost message is found.
 *
 *     node scripts/interop/smuggling.ts [--peers none,postfix,exim]
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { SmtpClient } from '../../spec/support/smtp-client.ts'
import { freePort, listening } from '../bench/support/ports.ts'
import { hasPostfix, startPostfix } from '../bench/support/postfix.ts'
import { type Running, startPosthouse } from '../bench/support/posthouse.ts'
import { startExim } from './support/exim.ts'
import type { Peer } from './support/peer.ts'
import { type Delivered, startRecorder } from './support/recorder.ts'

const { values } = parseArgs({ options: { peers: { type: 'string', default: 'none,postfix,exim' } } })
const BREAKS = ['\r\n', '\n', '\r', '\r\r\n', '\n\r', '\r\0\n', '\0\n']
const SECOND =
  'MAIL FROM:<evil@out.test>\r\nRCPT TO:<evil@out.test>\r\nDATA\r\nSubject: evil\r\n\r\nsmuggled\r\n.\r\nend\r\n'
const BODIES = BREAKS.flatMap((before) => BREAKS.map((after) => `body${before}.${after}${SECOND}`))
const TO = 'victim@out.test'
const PATIENCE_MS = 60_000
const SETTLE_MS = 3_000
const USING = ['urn:ietf:params:jmap:core', 'urn:ietf:params:jmap:mail', 'urn:ietf:params:jmap:submission']

const PEERS: { readonly [name: string]: (port: number, relayTo: number) => Peer } = {
  none: (_port, relayTo) => ({ port: relayTo, stop: async () => {} }),
  postfix(port, relayTo) {
    if (!hasPostfix()) throw new Error('Postfix is not installed')
    const instance = startPostfix(port, relayTo, 10)
    instance.drain()
    return { port, stop: async () => instance.stop() }
  },
  exim: startExim,
}

/** A protocol: submits a body under a subject; false: it was refused. */
type Door = (subject: string, body: string) => Promise<boolean>

function header(from: string, subject: string): string {
  return `From: <${from}>\r\nTo: <${TO}>\r\nSubject: ${subject}\r\nDate: Thu, 01 Jan 2026 00:00:00 +0000\r\n\r\n`
}

/** A client that keeps CRLF rules: it stuffs dots at line starts, and nothing else. */
function smtpDoor({ submission, mailbox: { address, password } }: Running): Door {
  return async (subject, body) => {
    const client = await SmtpClient.connect(submission.tls_port, { tls: true })
    const login = Buffer.from(`\0${address}\0${password}`).toString('base64')
    await client.commands(['EHLO client.test', '250'], [`AUTH PLAIN ${login}`, '235'])
    await client.commands([`MAIL FROM:<${address}>`, '250'], [`RCPT TO:<${TO}>`, '250'], ['DATA', '354'])
    client.write(Buffer.from(header(address, subject) + body.replaceAll('\r\n.', '\r\n..'), 'latin1'))
    const answer = await client.command('.')
    client.end()
    return answer.startsWith('250')
  }
}

function jmapDoors({ http, api_key, mailbox }: Running): { jmap: Door; import: Door } {
  const accountId = mailbox.id
  const authorization = `Bearer ${api_key}`
  const call = async (methodCalls: [string, object, string][]) => {
    const response = await fetch(`${http}/jmap/api`, {
      method: 'POST',
      headers: { authorization, 'content-type': 'application/json' },
      body: JSON.stringify({ using: USING, methodCalls }),
    })
    return ((await response.json()) as { methodResponses: [string, Answer, string][] }).methodResponses
  }
  const places = call([
    ['Mailbox/query', { accountId, filter: { role: 'drafts' } }, '0'],
    ['Identity/get', { accountId }, '1'],
  ]).then(([drafts, identities]) => ({ drafts: drafts![1].ids![0]!, identityId: identities![1].list![0]!.id }))
  const envelope = { mailFrom: { email: mailbox.address }, rcptTo: [{ email: TO }] }
  const submit = async (make: [string, object, string]) => {
    const { identityId } = await places
    const create = { s: { identityId, emailId: '#e', envelope } }
    const answers = await call([make, ['EmailSubmission/set', { accountId, create }, 's']])
    return Boolean(answers.at(-1)![1].created?.['s'])
  }
  return {
    async jmap(subject, body) {
      const email = {
        mailboxIds: { [(await places).drafts]: true },
        from: [{ email: mailbox.address }],
        to: [{ email: TO }],
        subject,
        bodyValues: { t: { value: body } },
        textBody: [{ partId: 't', type: 'text/plain' }],
      }
      return submit(['Email/set', { accountId, create: { e: email } }, 'e'])
    },
    async import(subject, body) {
      const upload = await fetch(`${http}/jmap/upload/${accountId}`, {
        method: 'POST',
        headers: { authorization, 'content-type': 'message/rfc822' },
        body: Buffer.from(header(mailbox.address, subject) + body, 'latin1'),
      })
      const { blobId } = (await upload.json()) as { blobId: string }
      const emails = { e: { blobId, mailboxIds: { [(await places).drafts]: true } } }
      return submit(['Email/import', { accountId, emails }, 'e'])
    },
  }
}

interface Answer {
  readonly ids?: string[]
  readonly list?: { id: string }[]
  readonly created?: { [id: string]: object } | null
}

function restDoor({ http, api_key, mailbox }: Running): Door {
  return async (subject, body) => {
    const response = await fetch(`${http}/api/v1/messages`, {
      method: 'POST',
      headers: { authorization: `Bearer ${api_key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ from: mailbox.address, to: TO, subject, text: body }),
    })
    return response.ok
  }
}

async function run(name: string): Promise<void> {
  const recorder = await startRecorder()
  const peer = PEERS[name]!(await freePort(), recorder.port)
  const server = await startPosthouse([
    '--outbound',
    `smtp://127.0.0.1:${peer.port}`,
    '--rate-send=0',
    '--rate-write=0',
  ])
  try {
    await listening(peer.port)
    const doors: { [door: string]: Door } = { smtp: smtpDoor(server), ...jmapDoors(server), rest: restDoor(server) }
    const taken = new Map<string, string[]>()
    for (const [door, hand] of Object.entries(doors)) {
      const subjects: string[] = []
      for (const [i, body] of BODIES.entries()) if (await hand(`${door}-${i}`, body)) subjects.push(`${door}-${i}`)
      taken.set(door, subjects)
    }
    const expected = [...taken.values()].flat()
    for (let waited = 0; recorder.delivered.length < expected.length && waited < PATIENCE_MS; waited += 100)
      await sleep(100)
    await sleep(SETTLE_MS)
    report(name, taken, recorder.delivered)
  } finally {
    await server.stop()
    await peer.stop()
    recorder.stop()
  }
}

function report(name: string, taken: ReadonlyMap<string, readonly string[]>, delivered: readonly Delivered[]): void {
  const expected = [...taken.values()].flat()
  const subjects = delivered.map(({ text }) => /^Subject: (.*)\r$/m.exec(text)?.[1] ?? '')
  const missing = expected.filter((subject) => !subjects.includes(subject))
  const more = subjects.filter((subject, i) => !expected.includes(subject) || subjects.indexOf(subject) !== i)
  const evil = delivered.filter(({ envelope }) => envelope.includes('evil'))
  const bare = delivered.filter(({ text }) => /\r(?!\n)|(?<!\r)\n/.test(text))
  // A body that arrives as base64 or quoted-printable counts too.
  const within = delivered.filter(({ text }) => /smuggled|c211Z2dsZWQ|NtdWdnbGVk|zbXVnZ2xlZ/.test(text))
  const each = [...taken].map(([door, all]) => `${all.length} by ${door}`).join(', ')
  console.log(
    `smuggling, ${name}: of ${BODIES.length} bodies ${each}; ${delivered.length} messages at the end, ${missing.length} missing, ${more.length} too many, ${evil.length} with the second envelope, ${bare.length} with bare CR or LF; ${within.length} have the second message within the first (control)`,
  )
  const isRight = missing.length + more.length + evil.length + bare.length === 0
  // A protocol that accepts nothing shows nothing.
  const isUsed = [...taken.values()].every((all) => all.length > 0)
  if (!isRight || !isUsed || within.length === 0 || expected.length < BODIES.length) process.exitCode = 1
}

for (const name of values.peers.split(',')) {
  if (!PEERS[name]) throw new Error(`there is no peer ${name}`)
  await run(name)
}

/**
 * Mail transport strips and signs the fields that JMAP shows. Headers are joined from whole and odd lines; each path of a message (in,
 * submission, out) must show the same fields and the same body as before, except removed fields.
 */
import { Buffer } from 'node:buffer'
import { generateKeyPairSync } from 'node:crypto'
import fc from 'fast-check'
import { dkimVerify } from 'mailauth/lib/dkim/verify.js'
import t from 'tap'
import { parseMessage } from '../../jmap/message/structure.ts'
import { withoutBcc } from '../../jmap/message/without-fields.ts'
import { createLocalDelivery } from '../../mta/inbound/local-delivery.ts'
import { normalizeLineEnds, toWireMessage } from '../../mta/outbound/wire-message.ts'
import { completeMessage } from '../../mta/submission/complete-message.ts'
import { MemoryCore } from '../support/memory-core.ts'
import { submission } from '../support/outbound-queue.ts'

/** `HEADERS=100000 TAP_TIMEOUT=0 node` and this file uses more than the suite. */
const headersMade = Number(process.env['HEADERS'] ?? 500)

const HOST = 'mx.posthouse.test'
const LINE_ENDS = [...Array<string>(12).fill('\r\n'), '\n', '\n', '\r', '\r\r\n', '\n\r', '\r\n\r\n', '\n\n', '']
const FIELDS = [
  'Subject: one',
  'subject : two',
  'From: a@posthouse.test',
  'FROM\t: b@posthouse.test',
  'To: ä@x.test',
  'X: \xe4\xff',
  'X-Nul: a\0b',
  'Date:',
  'Message-ID:<1@x>',
  'Received: from a',
  `Long: ${'y'.repeat(1_100)}`,
  'Return-Path: <evil@x.test>',
  'return-path : <evil@x.test>',
  'Bcc: hidden@x.test',
  'BCC\t:hidden@x.test,',
  'Resent-Bcc: hidden@x.test',
  `Authentication-Results: ${HOST}; spf=pass`,
  `authentication-results :\r\n ${HOST}; spf=pass`,
  'Authentication-Results: other.test; spf=pass',
]
const ODD_LINES = [
  ' folded',
  '\tfolded: x',
  ' ',
  ' : x',
  'no colon',
  'two words: x',
  ': no name',
  'X\0Y: z',
  'X\xe4: z',
  '\0',
  '-- x: y',
  '--boundary',
  'From me@x.test Tue Jul 10 03:05:08 2018',
  '>From me',
]
const BODIES = [
  '',
  '\r\n',
  '\r\nBcc: in the body\r\n',
  '\nSubject: in the body\r\ntext\n',
  'text\r\n',
  'text\r\n\r\ntext',
]

const header = fc
  .array(
    fc.tuple(
      fc.oneof({ weight: 3, arbitrary: fc.constantFrom(...FIELDS) }, fc.constantFrom(...ODD_LINES)),
      fc.constantFrom(...LINE_ENDS),
    ),
    { maxLength: 10 },
  )
  .map((lines) => lines.flat().join(''))
const octets = fc.tuple(header, fc.constantFrom(...BODIES)).map((texts) => Buffer.from(texts.join(''), 'latin1'))
const messages = fc.sample(octets, { numRuns: headersMade, seed: 5322 })

type Field = readonly [name: string, value: string]

interface Shown {
  readonly fields: readonly Field[]
  readonly body: string
}

/** The content of a message that JMAP shows. */
function shown(bytes: Uint8Array): Shown {
  const { headers, structure } = parseMessage(bytes)
  const text = (start: number, end: number) => Buffer.from(bytes.subarray(start, end)).toString('latin1')
  return {
    fields: headers.map(({ name, start, end }) => [name, text(start, end)]),
    body: text(structure.parts[0]!.bodyStart, bytes.length),
  }
}

function without({ fields, body }: Shown, isGone: (name: string, value: string) => boolean): Shown {
  return { fields: fields.filter(([name, value]) => !isGone(name.toLowerCase(), value)), body }
}

const names = ({ fields }: Shown) => fields.map(([name]) => name.toLowerCase())

/** The messages for which `agree` is false: the first few, and their number. */
async function disagreements(agree: (bytes: Buffer, before: Shown) => boolean | Promise<boolean>) {
  const found: string[] = []
  for (const bytes of messages) {
    if (!(await agree(bytes, shown(bytes)))) found.push(JSON.stringify(bytes.toString('latin1')))
  }
  return { count: found.length, first: found.slice(0, 3) }
}

const NONE = { count: 0, first: [] }

function isSame(a: Shown, b: Shown): boolean {
  return JSON.stringify(a) === JSON.stringify(b)
}

t.test('the generated headers contain removed fields and odd lines', async (t) => {
  const count = (is: (bytes: Buffer, before: Shown) => boolean) =>
    messages.filter((bytes) => is(bytes, shown(bytes))).length
  const enough = headersMade / 50
  for (const name of ['return-path', 'bcc', 'resent-bcc', 'authentication-results', 'from'])
    t.ok(count((_, before) => names(before).includes(name)) > enough, name)
  for (const odd of [/\r(?!\n)/, /(?<!\r)\n/, /\0/, /[\x80-\xff]/, /^From /m, /^no colon/m, /[\r\n][ \t]+folded/])
    t.ok(count((bytes) => odd.test(bytes.toString('latin1'))) > enough, String(odd))
  t.ok(count((_, { fields, body }) => fields.length > 0 && body.startsWith('text')) > enough, 'no empty line')
})

t.test('a delivered message shows the same fields as before, and only our trace fields', async (t) => {
  const core = new MemoryCore()
  const delivery = createLocalDelivery(core, HOST)
  const receivedAt = 0
  const trace = 'Received: ours\r\n'
  const wrong = await disagreements(async (bytes, before) => {
    const recipients = [{ address: 'alice@posthouse.test', account: 10 }]
    await delivery.deliver({ mailFrom: 'x@out.test', recipients, trace, bytes, receivedAt })
    const after = shown(core.messages.pop()!.bytes)
    const kept = without(
      before,
      (name, value) =>
        name === 'return-path' || (name === 'authentication-results' && value.trimStart().startsWith(HOST)),
    )
    const ours: Field[] = [
      ['Return-Path', ' <x@out.test>'],
      ['Received', ' ours'],
    ]
    return isSame(after, { ...kept, fields: [...ours, ...kept.fields] })
  })
  t.same(wrong, NONE)
})

t.test('a submitted message shows the same fields as before, without Bcc and Return-Path', async (t) => {
  const wrong = await disagreements(async (bytes, before) => {
    const sent = await completeMessage(bytes, { trace: 'Received: ours\r\n', messageId: '<ours@x>', now: 0 })
    const kept = without(before, (name) => ['bcc', 'resent-bcc', 'return-path'].includes(name))
    const ours: Field[] = [['Received', ' ours']]
    if (!names(before).includes('date')) ours.push(['Date', ' Thu, 01 Jan 1970 00:00:00 +0000'])
    if (!names(before).includes('message-id')) ours.push(['Message-ID', ' <ours@x>'])
    return isSame(shown(sent), { ...kept, fields: [...ours, ...kept.fields] })
  })
  t.same(wrong, NONE)
})

t.test('a message sent by JMAP shows the same fields as before, without Bcc', async (t) => {
  const wrong = await disagreements((bytes, before) =>
    isSame(
      shown(withoutBcc(bytes)),
      without(before, (name) => name === 'bcc' || name === 'resent-bcc'),
    ),
  )
  t.same(wrong, NONE)
})

const pair = generateKeyPairSync('ed25519')
const privateKey = pair.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
const publicKey = pair.publicKey.export({ type: 'spki', format: 'der' }).subarray(12).toString('base64')
const dkim = [{ domain: 'posthouse.test', selector: 's1', algorithm: 'ed25519', privateKey }] as const
const resolver = async () => [[`v=DKIM1; k=ed25519; p=${publicKey}`]]

t.test(
  'a sent message shows the same fields as before without Return-Path, and its signature covers every listed field',
  async (t) => {
    const wrong = await disagreements(async (original, before) => {
      const now = Date.now()
      const { pieces } = await toWireMessage(submission(['x@out.test'], { bytes: original, dkim }), now)
      const bytes = Buffer.concat(pieces)
      const [signature, ...fields] = shown(bytes).fields
      const crlf = (text: string) => normalizeLineEnds(Buffer.from(text, 'latin1')).toString('latin1')
      const kept = without(before, (name) => name === 'return-path')
      const expected = { fields: kept.fields.map(([name, value]): Field => [name, crlf(value)]), body: crlf(kept.body) }
      if (!isSame({ fields, body: shown(bytes).body }, expected)) return false
      const signed = /h=([^;]*)/.exec(signature![1])![1]!.replace(/\s/g, '').split(':')
      const count = (list: readonly string[], name: string) => list.filter((one) => one === name).length
      const shownNames = names(kept)
      const isAllSigned = ['from', 'to', 'subject', 'date', 'message-id'].every(
        (name) => count(signed, name) === count(shownNames, name) + 1,
      )
      const { results } = await dkimVerify(bytes, { resolver, strict: true, curTime: new Date(now) })
      const isPassed = results.map(({ status }) => status.result).join() === 'pass'
      return isAllSigned && isPassed
    })
    t.same(wrong, NONE)
  },
)

// RFC 6376; promise S12. mailauth verifies the signatures.
import { generateKeyPairSync } from 'node:crypto'
import fc from 'fast-check'
import { dkimVerify } from 'mailauth/lib/dkim/verify.js'
import t from 'tap'
import { quotedPrintable } from '../../../jmap/message/body-encoding.ts'
import { decodeTransfer } from '../../../jmap/message/transfer.ts'
import { makeTemplate, writeCopy } from '../../../jmap/newsletters/run/message-template.ts'
import { dkimSignatures, relaxBody } from '../../../mta/outbound/dkim.ts'
import { isWhole } from '../../../server/base/free-memory.ts'

const { privateKey, publicKey } = generateKeyPairSync('rsa', {
  modulusLength: 2048,
  publicKeyEncoding: { type: 'spki', format: 'der' },
  privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
})
const KEY = { domain: 'posthouse.test', selector: 's1', algorithm: 'rsa', privateKey } as const

const resolver = async (name: string, type: string) => {
  if (name !== 's1._domainkey.posthouse.test' || type !== 'TXT')
    throw Object.assign(new Error('no'), { code: 'ENOTFOUND' })
  return [[`v=DKIM1; k=rsa; p=${publicKey.toString('base64')}`]]
}

async function signed(message: string | Buffer): Promise<Buffer> {
  const bytes = Buffer.from(message as string)
  return Buffer.concat([Buffer.from(await dkimSignatures(bytes, [KEY], Date.now())), bytes])
}

async function verdict(message: Buffer): Promise<string> {
  const { results } = await dkimVerify(message, { resolver, strict: true })
  return results.map(({ status }) => status.result).join()
}

const MAIL =
  'From: =?utf-8?q?J?= <alice@posthouse.test>\r\nTo: x@out.test,\r\n\ty@out.test\r\nSubject:  two   spaces \r\n' +
  'Date: Thu, 01 Jan 2026 00:00:00 +0000\r\nMessage-ID: <1@posthouse.test>\r\nMIME-Version: 1.0\r\n' +
  'Content-Type: text/plain; charset=utf-8\r\nContent-Transfer-Encoding: 8bit\r\nList-Id: <l.posthouse.test>\r\n\r\n' +
  'one  \r\n\ttwo\t three\r\nå\r\n\r\n\r\n'

t.test('a verifier passes our signatures', async (t) => {
  t.equal(await verdict(await signed(MAIL)), 'pass')
})

t.test('an RSA and an Ed25519 key sign the same message, and a verifier passes both (RFC 8463)', async (t) => {
  const pair = generateKeyPairSync('ed25519')
  const pem = pair.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
  const record = pair.publicKey.export({ type: 'spki', format: 'der' }).subarray(12).toString('base64')
  const second = { domain: 'posthouse.test', selector: 's2', algorithm: 'ed25519', privateKey: pem } as const
  const bytes = Buffer.from(MAIL)
  const message = Buffer.concat([Buffer.from(await dkimSignatures(bytes, [KEY, second], Date.now())), bytes])
  const both = async (name: string, type: string) =>
    name === 's2._domainkey.posthouse.test' ? [[`v=DKIM1; k=ed25519; p=${record}`]] : resolver(name, type)
  const { results } = await dkimVerify(message, { resolver: both, strict: true })
  t.same(results.map(({ algo, status }) => `${algo} ${status.result}`).sort(), [
    'ed25519-sha256 pass',
    'rsa-sha256 pass',
  ])
})

t.test('a verifier passes any header and body', async (t) => {
  const word = fc.string({ unit: fc.constantFrom('a', ' ', '\t', 'é', ':', ';', '='), maxLength: 12 })
  const line = fc.string({ unit: fc.constantFrom('a', ' ', '\t', '.', 'é', '\r\n'), maxLength: 40 })
  const cases = fc.sample(fc.tuple(word, word, line), { numRuns: 60, seed: 6376 })
  for (const [subject, to, body] of cases) {
    const message = `Subject:${subject}x\r\nTo: ${to}y\r\nFrom: a@posthouse.test\r\n\r\n${body}`
    t.equal(await verdict(await signed(message)), 'pass', JSON.stringify(message))
  }
})

for (const [name, change] of [
  ['a changed body', (mail: string) => mail.replace('three', 'four')],
  ['a changed subject', (mail: string) => mail.replace('two   spaces', 'else')],
  ...['From', 'To', 'Cc', 'Reply-To', 'Subject', 'Date', 'Message-ID', 'MIME-Version', 'Content-Type'].map(
    (field) => [`a second ${field}`, (mail: string) => `${field}: <x@evil.test>\r\n${mail}`] as const,
  ),
] as const) {
  t.test(`${name} breaks the signature`, async (t) => {
    const mail = (await signed(MAIL)).toString()
    t.equal(await verdict(Buffer.from(mail)), 'pass', 'control: the message itself passes')
    t.not(await verdict(Buffer.from(change(mail))), 'pass')
  })
}

t.test('an unsigned field may be added, such as Received', async (t) => {
  t.equal(await verdict(Buffer.concat([Buffer.from('Received: by x.test; now\r\n'), await signed(MAIL)])), 'pass')
})

t.test('links to unsubscribe are sealed, and mail that has none may get one on the way (RFC 8058 4)', async (t) => {
  const post = 'List-Unsubscribe-Post: List-Unsubscribe=One-Click\r\n'
  const mail = (await signed(`List-Unsubscribe: <https://posthouse.test/u>\r\n${post}${MAIL}`)).toString()
  const added = 'List-Unsubscribe: <https://evil.test/u>\r\n'
  t.equal(await verdict(Buffer.from(mail)), 'pass', 'control: the message itself passes')
  for (const changed of [
    added + mail,
    post + mail,
    mail.replace('posthouse.test/u', 'evil.test/u'),
    mail.replace(post, ''),
  ])
    t.not(await verdict(Buffer.from(changed)), 'pass')
  t.equal(await verdict(Buffer.concat([Buffer.from(added), await signed(MAIL)])), 'pass', 'control')
})

t.test('the signature expires within a week, and its lines have at most 78 characters', async (t) => {
  const signature = await dkimSignatures(Buffer.from(MAIL), [KEY], Date.UTC(2026, 0, 1))
  const [, from, until] = /t=(\d+); x=(\d+);/.exec(signature)!
  t.equal(Number(from), Date.UTC(2026, 0, 1) / 1000)
  t.equal(Number(until) - Number(from), 7 * 86_400)
  for (const line of signature.split('\r\n')) t.ok(line.length <= 78, line)
})

t.test('a domain beyond ASCII is written as its A-label', async (t) => {
  const signature = await dkimSignatures(Buffer.from(MAIL), [{ ...KEY, domain: 'bücher.test' }], 0)
  t.match(signature, 'd=xn--bcher-kva.test;')
})

t.test('a key of another kind is refused', async (t) => {
  const other = generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
  await t.rejects(dkimSignatures(Buffer.from(MAIL), [{ ...KEY, privateKey: other }], 0), { message: /rsa/ })
})

t.test('a body in relaxed form is used unchanged, others are converted', async (t) => {
  const text = fc.string({ unit: fc.constantFrom('a', ' ', '\t', '\r\n'), maxLength: 12 })
  const outcome = fc.check(
    fc.property(text, (body) => {
      const once = relaxBody(Buffer.from(body))
      const isRelaxed = body === '' || (/[^\r\n]\r\n$/.test(body) && !/\t| {2}| \r\n/.test(body))
      return relaxBody(once).equals(once) && once.equals(Buffer.from(body)) === isRelaxed
    }),
    { numRuns: 5_000, seed: 6376 },
  )
  t.notOk(outcome.failed, JSON.stringify(outcome.counterexample))
  const relaxed = Buffer.from('a b\r\n')
  t.equal(relaxBody(relaxed), relaxed, 'it is not copied')
})

t.test('relaxed bodies are those of RFC 6376 3.4.5', async (t) => {
  t.equal(relaxBody(Buffer.from(' C \r\nD \t E\r\n\r\n\r\n')).toString(), ' C\r\nD E\r\n')
  t.equal(relaxBody(Buffer.from('')).toString(), '')
  t.equal(relaxBody(Buffer.from('\r\n\r\n')).toString(), '')
  t.equal(relaxBody(Buffer.from('no end')).toString(), 'no end\r\n')
})

t.test('texts of newsletters are relaxed already, so that a body is signed without a copy', async (t) => {
  const unit = fc.constantFrom(' ', '  ', '\t', '.', '=', 'From ', 'word', 'é', '\n', 'x'.repeat(74))
  const outcome = fc.check(
    fc.property(fc.string({ unit, maxLength: 40 }), (text) => {
      const body = Buffer.from(`${quotedPrintable(text)}=\r\n.\r\n`)
      const isKept = decodeTransfer(body, 'quoted-printable').toString() === `${text.replaceAll('\n', '\r\n')}.\r\n`
      return (
        isKept &&
        relaxBody(body) === body &&
        body
          .toString()
          .split('\r\n')
          .every(({ length }) => length <= 76)
      )
    }),
    { numRuns: 3_000, seed: 6376 },
  )
  t.notOk(outcome.failed, JSON.stringify(outcome.counterexample))
  const text = ['Hello  ', { name: 'first_name', fallback: null, place: 'text' }, '\tmy  friend \n'] as const
  const parts = { fromAddress: 'a@posthouse.test', fromName: null, replyTo: null, list: null, archiveUrl: null }
  const template = makeTemplate({ ...parts, subject: ['S'], text, html: text, baseUrl: 'https://posthouse.test' })
  const copy = { to: 'x@out.test', toName: null, messageId: '1@posthouse.test', date: 0, unsubscribeUrl: null }
  const message = writeCopy(template, { ...copy, values: { first_name: ' Ann \t Lee ' } })
  const body = message.subarray(message.indexOf('\r\n\r\n') + 4)
  t.equal(relaxBody(body), body)
  t.ok(isWhole(message), 'its memory goes along to the thread that sends it')
  t.equal(await verdict(await signed(message)), 'pass')
})

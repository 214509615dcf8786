// Promise S6: text of a user stays in its field, in every outgoing message and envelope.
import fc from 'fast-check'
import t from 'tap'
import type { JsonObject } from '../../../server/base/json.ts'
import { type Result, startCore } from '../../support/core.ts'

/** Line ends, and characters that some reader takes for one, followed by a field, a body or a command. */
const BREAKS = [
  '\r\n',
  '\n',
  '\r',
  '\0',
  '\u2028',
  '\u2029',
  '\u0085',
  '\v',
  '\f',
  '\x1c',
  '\u560a',
  '%0d%0a',
  '\\r\\n',
  '=0D=0A',
  '&#13;&#10;',
]
const AFTER = [
  'X-Evil: 1',
  ' X-Evil: 1',
  'Bcc: victim@example.org',
  '\r\n\r\nbody',
  'RCPT TO:<victim@example.org>',
  '.\r\nMAIL FROM:<x@y>',
  '>',
  '"',
  ' ',
  '\t',
  '?=',
  '=?utf-8?q?=0D=0AX-Evil:_1?=',
]
const evil = fc
  .array(fc.oneof(fc.constantFrom(...BREAKS), fc.constantFrom(...AFTER), fc.string({ maxLength: 8, unit: 'binary' })), {
    minLength: 1,
    maxLength: 6,
  })
  .map((parts) => parts.join(''))

const FIELDS = new Set(
  'from to cc bcc sender reply-to date message-id subject in-reply-to references mime-version content-type content-transfer-encoding content-disposition x-own'.split(
    ' ',
  ),
)

/** Names of the fields before the body, in lower case; a line that is not a field is returned itself. */
function fieldsOf(octets: string): string[] {
  const header = octets.slice(0, octets.indexOf('\r\n\r\n'))
  const lines = header.replaceAll(/\r\n[ \t]/g, ' ').split('\r\n')
  return lines.map((line) => /^([\x21-\x39\x3b-\x7e]+):/.exec(line)?.[1]?.toLowerCase() ?? `? ${line}`)
}

const seed = Number(process.env['SEED'] ?? 20_261_121)
/** Number of texts: promise S6 asks for 100,000 (`STRINGS=100000 TAP_TIMEOUT=0 node` and this file), the suite uses fewer. */
const strings = Number(process.env['STRINGS'] ?? 1_200)

t.test('no text of a user adds a field, a line or a recipient', async (t) => {
  const { core, mailbox } = await startCore(t)
  const hello = await mailbox('hello')
  const identityId = (await hello.call('Identity/get', { ids: null })).list[0].id as string
  const drafts = { [hello.roles['drafts']!]: true }
  const email = (text: string): JsonObject => ({
    mailboxIds: drafts,
    from: [{ name: text, email: hello.address }],
    to: [{ name: text, email: 'ann@example.org' }],
    replyTo: [{ name: text, email: hello.address }],
    subject: text,
    'header:X-Own:asText': text,
    bodyValues: { t: { value: text } },
    textBody: [{ partId: 't', type: 'text/plain' }],
  })
  const texts = fc.sample(evil, { numRuns: strings, seed })
  t.comment(`seed ${seed}`)
  let sent = 0
  for (let i = 0; i < texts.length; i += 100) {
    const page = texts.slice(i, i + 100)
    const creates = Object.fromEntries(page.map((text, at) => [`e${at}`, email(text)]))
    const { created, notCreated } = (await hello.call('Email/set', { create: creates })) as Result
    for (const { type } of Object.values(notCreated ?? {}) as Result[])
      if (!/^invalid|tooLarge/.test(type)) t.fail(`Email/set: ${type}`)
    const submissions = Object.values((created ?? {}) as { [key: string]: { id: string } }).map(({ id }, at) => [
      `s${at}`,
      { identityId, emailId: id },
    ])
    const queued = await hello.call('EmailSubmission/set', { create: Object.fromEntries(submissions) })
    for (const { type } of Object.values(queued.notCreated ?? {}) as Result[])
      if (type !== 'invalidEmail') t.fail(`EmailSubmission/set: ${type}`)
    for (const { bytes, mailFrom, recipients } of await core.claimSubmissions('worker', 200, 1_000_000)) {
      sent++
      const octets = Buffer.from(bytes).toString('latin1')
      const fields = fieldsOf(octets)
      const wrong = fields.filter((name, at) => !FIELDS.has(name) || fields.indexOf(name) !== at)
      const isBare = /[^\r]\n|\r[^\n]|\0/.test(octets)
      const isOwn = mailFrom === hello.address && recipients.map(({ address }) => address).join() === 'ann@example.org'
      if (wrong.length > 0 || isBare || !isOwn) t.fail(JSON.stringify({ wrong, isBare, mailFrom, recipients, octets }))
    }
  }
  t.ok(sent > strings / 4, `control: ${sent} of ${texts.length} were sent`)
})

t.test('no envelope does either: it is refused or stays unchanged', async (t) => {
  const { core, mailbox } = await startCore(t)
  const hello = await mailbox('hello')
  const identityId = (await hello.call('Identity/get', { ids: null })).list[0].id as string
  const draft = { mailboxIds: { [hello.roles['drafts']!]: true }, from: [{ email: hello.address }] }
  const emailId = (await hello.call('Email/set', { create: { e: draft } })).created.e.id as string
  const texts = fc.sample(evil, { numRuns: Math.ceil(strings / 3), seed })
  const envelopes = texts.flatMap((text) => [
    { mailFrom: { email: `${hello.address}${text}` }, rcptTo: [{ email: 'a@example.org' }] },
    {
      mailFrom: { email: hello.address },
      rcptTo: [{ email: `a${text}@example.org` }, { email: `a@example.org${text}` }],
    },
    { mailFrom: { email: hello.address, parameters: { ENVID: text } }, rcptTo: [{ email: 'a@example.org' }] },
    {
      mailFrom: { email: hello.address },
      rcptTo: [{ email: 'a@example.org', parameters: { ORCPT: `rfc822;${text}` } }],
    },
    { mailFrom: { email: hello.address, parameters: { [text]: null } }, rcptTo: [{ email: 'a@example.org' }] },
  ])
  for (let i = 0; i < envelopes.length; i += 100) {
    const create = Object.fromEntries(
      envelopes.slice(i, i + 100).map((envelope, at) => [`s${at}`, { identityId, emailId, envelope }]),
    )
    await hello.call('EmailSubmission/set', { create })
  }
  let sent = 0
  for (;;) {
    const claimed = await core.claimSubmissions('worker', 500, 1_000_000)
    if (claimed.length === 0) break
    for (const { mailFrom, parameters, recipients } of claimed) {
      sent++
      const all = [
        mailFrom,
        ...Object.entries(parameters).flat(),
        ...recipients.flatMap(({ address, parameters }) => [address, ...Object.values(parameters)]),
      ]
      const breaks = all.filter((text) => /[\p{Cc}\u2028\u2029]/u.test(text ?? ''))
      if (breaks.length > 0) t.fail(JSON.stringify(breaks))
    }
  }
  t.ok(sent > 20, `control: ${sent} of ${envelopes.length} were sent`)
})

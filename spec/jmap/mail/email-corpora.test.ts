/** Email/get of every property of every mail of the corpora: RFC 8621 4.2. */
import t, { type Test } from 'tap'
import { type Result, startCore, type TestMailbox } from '../../support/core.ts'
import { SHARED_CORPORA, sharedMissing } from '../../support/corpora.ts'
import { type CorpusMail, mailsIn, OWN_CORPUS } from '../message/corpus.ts'
import { CONVENIENCE } from './convenience-properties.ts'

const FORMS = ['Text', 'Addresses', 'GroupedAddresses', 'MessageIds', 'Date', 'URLs']
const PROPERTIES = [
  ...['id', 'blobId', 'threadId', 'mailboxIds', 'keywords', 'size', 'receivedAt', 'hasAttachment', 'preview'],
  ...['bodyValues', 'textBody', 'htmlBody', 'attachments', 'bodyStructure', 'headers'],
  ...Object.entries(CONVENIENCE).flat(),
  ...FORMS.flatMap((form) => [`header:X-Mailer:as${form}`, `header:Content-Type:as${form}:all`]),
  ...['header:Received:all', 'header:To:asGroupedAddresses', 'header:List-Unsubscribe:asURLs'],
]
const BODY_PROPERTIES = [
  ...['partId', 'blobId', 'size', 'name', 'type', 'charset', 'disposition', 'cid', 'language', 'location'],
  ...['headers', 'subParts', 'header:Content-Type', 'header:Content-Disposition:asText:all'],
]
const UTC_DATE = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/
const DATE = /^\d{4}-\d\d-\d\dT([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d*[1-9])?(Z|[-+]([01]\d|2[0-3]):[0-5]\d)$/

/** Faults of an email, by the text of the RFC. */
function faultsOf(email: Result, bytes: Uint8Array): string[] {
  const faults: string[] = []
  const ensure = (holds: boolean, what: string) => {
    if (!holds) faults.push(what)
  }
  ensure(
    PROPERTIES.every((name) => email[name] !== undefined),
    'a property is missing',
  )
  ensure(email.size === bytes.length, 'size')
  ensure(UTC_DATE.test(email.receivedAt), 'receivedAt')
  ensure(email.sentAt === null || DATE.test(email.sentAt), `sentAt ${email.sentAt}`)
  ensure(email.preview.length <= 256, 'preview')
  ensure(JSON.stringify(email).isWellFormed() && !/\\ud[89a-f]/i.test(JSON.stringify(email)), 'half a character')
  for (const [property, form] of Object.entries(CONVENIENCE))
    ensure(JSON.stringify(email[property]) === JSON.stringify(email[form]), `${property} is not ${form}`)
  const leaves = leavesOf(email.bodyStructure, ensure)
  const byId = new Map(leaves.map((leaf) => [leaf.partId, leaf]))
  ensure(byId.size === leaves.length, 'a partId occurs twice')
  const idsOf = (list: Result[]) => list.map(({ partId }) => partId)
  const [text, html, attachments] = [idsOf(email.textBody), idsOf(email.htmlBody), idsOf(email.attachments)]
  const isMedia = ({ type }: Result) => /^(image|audio|video)\//.test(type)
  const isBody = (leaf: Result) => isMedia(leaf) || leaf.type === 'text/plain' || leaf.type === 'text/html'
  ensure(
    [...text, ...html].every((id) => isBody(byId.get(id))),
    'a body of another type',
  )
  // RFC 8621 4.1.4: the definition of attachments, in the order of the structure.
  const expected = leaves.filter((leaf) => {
    const lists = Number(text.includes(leaf.partId)) + Number(html.includes(leaf.partId))
    return lists === 0 || (lists === 1 && isMedia(leaf))
  })
  ensure(idsOf(expected).join() === attachments.join(), 'attachments')
  const textParts = leaves.filter(({ type }) => type.startsWith('text/'))
  ensure(Object.keys(email.bodyValues).sort().join() === idsOf(textParts).sort().join(), 'bodyValues')
  for (const value of Object.values(email.bodyValues) as Result[])
    ensure(Buffer.byteLength(value.value) <= 4_000, 'a value')
  return faults
}

/** All parts that are not multiparts, depth-first. */
function leavesOf(part: Result, ensure: (holds: boolean, what: string) => void): Result[] {
  const isMultipart = part.type.startsWith('multipart/')
  ensure((part.partId === null) === isMultipart, 'partId')
  ensure((part.blobId === null) === isMultipart, 'blobId')
  ensure((part.subParts === null) !== isMultipart, 'subParts')
  ensure(part.type === part.type.toLowerCase() && /^[^\s;()]+\/[^\s;()]+$/.test(part.type), `type ${part.type}`)
  if (!isMultipart) return [part]
  return part.subParts.flatMap((sub: Result) => leavesOf(sub, ensure))
}

async function check(box: TestMailbox, mails: readonly CorpusMail[], faults: string[]): Promise<void> {
  const ids = await Promise.all(mails.map(({ bytes }) => box.receive(bytes)))
  const more = { bodyProperties: BODY_PROPERTIES, fetchAllBodyValues: true, maxBodyValueBytes: 4_000 }
  const { list } = await box.call('Email/get', { ids, properties: PROPERTIES, ...more })
  const byId = new Map<string, Result>(list?.map((email: Result) => [email.id, email]))
  mails.forEach(({ name, bytes }, i) => {
    const email = byId.get(ids[i]!)
    const found = email ? faultsOf(email, bytes) : ['it is not answered']
    for (const fault of found) faults.push(`${name}: ${fault}`)
  })
}

async function checkAll(t: Test, mails: readonly CorpusMail[], atLeast: number): Promise<void> {
  const { mailbox } = await startCore(t)
  const box = await mailbox('corpora')
  const whole = mails.filter(({ bytes }) => bytes.length > 0)
  t.ok(whole.length >= atLeast, `${whole.length} mails`)
  const faults: string[] = []
  for (let start = 0; start < whole.length; start += 50) await check(box, whole.slice(start, start + 50), faults)
  t.same(faults, [])
}

t.test(
  'every property of every mail of the corpora has the value that the RFC defines (RFC 8621 4.1, 4.2)',
  async (t) => {
    await checkAll(t, OWN_CORPUS, 20)
  },
)

t.test('so has every property of the shared corpora', { skip: sharedMissing() }, async (t) => {
  await checkAll(t, mailsIn(SHARED_CORPORA), 1_000)
})

const PIECES = [
  '\r\n',
  '\r',
  '--',
  '=?utf-8?q?',
  '?=',
  '"',
  '(',
  '<',
  ';',
  ':',
  '\0',
  '\xff',
  '\t',
  'base64',
  '\r\n--a\r\n',
]

/** A mail with some octets changed, inserted and removed; `random` gives numbers below its argument. */
function damaged({ name, bytes }: CorpusMail, random: (below: number) => number): CorpusMail {
  let out = Buffer.from(bytes)
  for (let times = 1 + random(12); times > 0; times--) {
    const at = random(out.length)
    const piece = Buffer.from(PIECES[random(PIECES.length)]!, 'latin1')
    const [put, skip] = [
      [Buffer.of(random(256)), 1],
      [piece, 0],
      [Buffer.alloc(0), random(40)],
    ][random(3)] as [Buffer, number]
    out = Buffer.concat([out.subarray(0, at), put, out.subarray(at + skip)])
  }
  return { name, bytes: out.length > 0 ? out : Buffer.from('x') }
}

async function checkDamaged(t: Test, mails: readonly CorpusMail[]): Promise<void> {
  const { mailbox } = await startCore(t)
  const box = await mailbox('damaged')
  let seed = 8621
  const random = (below: number) => {
    seed = (Math.imul(seed, 1_103_515_245) + 12_345) >>> 0
    return Math.floor((seed / 2 ** 32) * below)
  }
  const small = mails.filter(({ bytes }) => bytes.length > 0 && bytes.length < 40_000)
  const faults: string[] = []
  for (let round = 0; round < 3; round++) {
    const some = Array.from({ length: 50 }, () => damaged(small[random(small.length)]!, random))
    await check(box, some, faults)
  }
  t.same(faults, [])
}

t.test('so has every property of damaged mails (RFC 8621 4.1, 4.2)', async (t) => {
  await checkDamaged(t, OWN_CORPUS)
})

t.test('so has every property of damaged mails of the shared corpora', { skip: sharedMissing() }, async (t) => {
  await checkDamaged(t, mailsIn(SHARED_CORPORA))
})

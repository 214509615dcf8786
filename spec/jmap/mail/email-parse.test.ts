import t from 'tap'
import { type MessageWork, WORK_HERE } from '../../../jmap/type/message-work.ts'
import { FREED_FROM_BYTES } from '../../../server/base/limits.ts'
import { startCore, type TestMailbox } from '../../support/core.ts'
import { mail, octets } from '../mails.ts'

const { core, mailbox, key, organization } = await startCore(t, 'sqlite', { maxObjectsInGet: 50 })
const box = await mailbox('hello')

async function upload(content: string | Uint8Array, into: TestMailbox = box): Promise<string> {
  const bytes = typeof content === 'string' ? octets(content) : content
  return (await core.upload(into.principal, into.accountId, 'message/rfc822', bytes))!.blobId
}
/** The email that a blob is parsed to. */
async function parse(blobId: string, args: object = {}) {
  const answer = await box.call('Email/parse', { blobIds: [blobId], ...args })
  return answer.parsed?.[blobId] ?? answer
}
async function download(blobId: string): Promise<string | null> {
  const blob = await core.download(box.principal, box.accountId, blobId)
  return blob && Buffer.from(blob.bytes).toString()
}

/** `inner` as an attachment of a message. */
function attached(inner: string, subject: string, encoding = '7bit'): string {
  const content = encoding === 'base64' ? Buffer.from(octets(inner)).toString('base64') : inner
  return mail({
    subject,
    headers: ['MIME-Version: 1.0', `Content-Type: multipart/mixed; boundary=${subject}`],
    body: `--${subject}\nContent-Type: text/plain\n\nSee attached.\n--${subject}\nContent-Type: message/rfc822\nContent-Transfer-Encoding: ${encoding}\n\n${content}\n--${subject}--`,
  })
}
const INNER = mail({
  subject: 'Inner',
  headers: ['MIME-Version: 1.0', 'Content-Type: multipart/mixed; boundary=inner'],
  body: '--inner\nContent-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding: quoted-printable\n\nGr=C3=BC=C3=9Fe\n--inner\nContent-Type: text/csv; name=a.csv\nContent-Disposition: attachment; filename=a.csv\nContent-Transfer-Encoding: base64\n\nMSwy\n--inner--',
})

t.test('an upload is parsed, with the default properties (RFC 8621 4.9)', async (t) => {
  const blobId = await upload(mail({ id: 'a@x', inReplyTo: 'b@x', date: 'Thu, 1 Jan 2026 12:00:00 +0100' }))
  const answer = await box.call('Email/parse', { blobIds: [blobId] })
  t.equal(answer.accountId, box.accountId)
  t.same(answer.parsed, {
    [blobId]: {
      messageId: ['a@x'],
      inReplyTo: ['b@x'],
      references: null,
      sender: null,
      from: [{ name: 'Bob', email: 'bob@example.org' }],
      to: [{ name: null, email: 'hello@example.test' }],
      cc: null,
      bcc: null,
      replyTo: null,
      subject: 'Lunch',
      sentAt: '2026-01-01T12:00:00+01:00',
      hasAttachment: false,
      preview: 'At noon?',
      bodyValues: {},
      textBody: answer.parsed[blobId].textBody,
      htmlBody: answer.parsed[blobId].htmlBody,
      attachments: [],
    },
  })
  t.same(Object.keys(answer.parsed[blobId].textBody[0]), [
    'partId',
    'blobId',
    'size',
    'name',
    'type',
    'charset',
    'disposition',
    'cid',
    'language',
    'location',
  ])
  t.equal(answer.notParsable, null)
  t.equal(answer.notFound, null)
})

t.test('properties that only an email in the account has are null (RFC 8621 4.9)', async (t) => {
  const blobId = await upload(mail())
  const properties = ['id', 'threadId', 'mailboxIds', 'keywords', 'receivedAt']
  t.same(await parse(blobId, { properties }), {
    id: null,
    threadId: null,
    mailboxIds: null,
    keywords: null,
    receivedAt: null,
  })
  const { size, blobId: own } = await parse(blobId, { properties: ['size', 'blobId'] })
  t.equal(own, blobId)
  t.equal(size, octets(mail()).length)
})

t.test('only requested properties are returned; header forms are as in Email/get (pitfall 16)', async (t) => {
  const blobId = await upload(
    mail({ headers: ['X-Tag: one', 'X-Tag: two', 'List-Post: <mailto:a@b.example>', 'Cc: Team: a@x.test, b@x.test;'] }),
  )
  const properties = [
    'header:X-TAG:asText',
    'header:x-tag:all',
    'header:X-None:asText',
    'header:X-None:all',
    'header:List-Post:asURLs',
    'header:Cc:asAddresses',
    'header:Cc:asGroupedAddresses',
  ]
  const email = await parse(blobId, { properties })
  t.same(Object.keys(email), properties)
  t.equal(email['header:X-TAG:asText'], 'two')
  t.same(email['header:x-tag:all'], [' one', ' two'])
  t.equal(email['header:X-None:asText'], null)
  t.same(email['header:X-None:all'], [])
  t.same(email['header:List-Post:asURLs'], ['mailto:a@b.example'])
  t.same(
    email['header:Cc:asAddresses'].map(({ email }: { email: string }) => email),
    ['a@x.test', 'b@x.test'],
  )
  t.match(email['header:Cc:asGroupedAddresses'], [{ name: 'Team', addresses: [{}, {}] }])
})

t.test('an unknown property or body property is invalidArguments (RFC 8621 4.9)', async (t) => {
  const blobId = await upload(mail())
  for (const args of [
    { properties: ['nonsense'] },
    { properties: ['header:From:asDate'] },
    { properties: ['deliveryStatus'] },
    { bodyProperties: ['nonsense'] },
    { properties: 'subject' },
  ])
    t.match(await parse(blobId, args), { type: 'invalidArguments' }, JSON.stringify(args))
})

t.test('headers in UTF-8 are accepted (RFC 8621 4.9, RFC 6532)', async (t) => {
  const blobId = await upload(mail({ from: 'Jürgen <jürgen@exämple.test>', subject: 'Grüße 会議' }))
  const { from, subject } = await parse(blobId)
  t.same(from, [{ name: 'Jürgen', email: 'jürgen@exämple.test' }])
  t.equal(subject, 'Grüße 会議')
})

t.test('body values are decoded, cut and marked as in Email/get (pitfall 17)', async (t) => {
  const blobId = await upload(INNER)
  const all = await parse(blobId, { fetchAllBodyValues: true })
  const values = Object.values(all.bodyValues as Record<string, { value: string; isTruncated: boolean }>)
  t.same(values.map(({ value }) => value.trim()).sort(), ['1,2', 'Grüße'])
  const text = await parse(blobId, { fetchTextBodyValues: true, maxBodyValueBytes: 3 })
  t.match(Object.values(text.bodyValues), [{ value: 'Gr', isTruncated: true }], 'not inside a code point')
})

t.test('an HTML value is not cut inside a tag (RFC 8621 4.9)', async (t) => {
  const headers = ['MIME-Version: 1.0', 'Content-Type: text/html']
  const blobId = await upload(mail({ headers, body: '<p>one <a href="https://example.com">two</a></p>' }))
  const { bodyValues } = await parse(blobId, { fetchHTMLBodyValues: true, maxBodyValueBytes: 20 })
  t.match(Object.values(bodyValues), [{ value: '<p>one ', isTruncated: true }])
})

t.test('parts of an upload can be downloaded by the returned blob ids (RFC 8621 4.9)', async (t) => {
  const { attachments } = await parse(await upload(INNER))
  t.equal(await download(attachments[0].blobId), '1,2')
})

for (const encoding of ['7bit', 'base64']) {
  t.test(
    `an attached message in ${encoding} is parsed by the blob id of its part, and its parts are readable`,
    async (t) => {
      const id = await box.receive(attached(INNER, 'Outer', encoding))
      const { list } = await box.call('Email/get', { ids: [id], properties: ['attachments'] })
      const inner = list[0].attachments[0]
      t.equal(inner.type, 'message/rfc822')
      const email = await parse(inner.blobId, { fetchAllBodyValues: true })
      t.equal(email.subject, 'Inner')
      t.match(Object.values(email.bodyValues), [{ value: /^Grüße/ }, {}])
      t.equal(await download(email.attachments[0].blobId), '1,2')
      t.match(await download(email.textBody[0].blobId), /^Grüße/)
    },
  )
}

t.test('a message in a message in a message can be read step by step', async (t) => {
  let blobId = await upload(attached(attached(INNER, 'Middle', 'base64'), 'Outer'))
  const subjects: string[] = []
  for (let level = 0; level < 3; level++) {
    const email = await parse(blobId)
    subjects.push(email.subject)
    blobId = email.attachments[0].blobId
  }
  t.same(subjects, ['Outer', 'Middle', 'Inner'])
  t.equal(await download(blobId), '1,2')
})

t.test('messages nested deeper than ids allow are notParsable', async (t) => {
  let raw = mail({ subject: 'Innermost' })
  for (let level = 0; level < 10; level++)
    raw = mail({ subject: `${level}`, headers: ['MIME-Version: 1.0', 'Content-Type: message/rfc822'], body: raw })
  let blobId = await upload(raw)
  let levels = 0
  for (; ; levels++) {
    const answer = await box.call('Email/parse', { blobIds: [blobId], properties: ['attachments'] })
    if (!answer.parsed) {
      t.same(answer.notParsable, [blobId])
      break
    }
    blobId = answer.parsed[blobId].attachments[0].blobId
  }
  t.equal(levels, 8)
})

t.test('octets without a header field are notParsable, unknown blobs are notFound (RFC 8621 4.9)', async (t) => {
  const [empty, binary, text, good] = [
    await upload(Buffer.from([0xff, 0xd8, 0xff, 0xe0, 0, 0x10])),
    await upload(Buffer.alloc(300, 7)),
    await upload('just some text\n'),
    await upload(mail({ subject: 'good' })),
  ]
  const other = await mailbox('other')
  const foreign = await upload(mail(), other)
  const answer = await box.call('Email/parse', {
    blobIds: [empty, binary, text, good, foreign, 'blb_nonsense', good],
    properties: ['subject'],
  })
  t.same(answer.parsed, { [good]: { subject: 'good' } })
  t.same(answer.notParsable, [empty, binary, text])
  t.same(answer.notFound, [foreign, 'blb_nonsense'])
})

t.test('a response without any message has null (RFC 8621 4.9)', async (t) => {
  t.match(await box.call('Email/parse', { blobIds: [] }), { parsed: null, notParsable: null, notFound: null })
})

t.test('an upload of another user of the account is notFound (RFC 8620 6.1)', async (t) => {
  const blobId = await upload(mail())
  const reader = await key({ scopes: ['messages:read'] })
  const parseAs = async (principal: typeof reader.principal) => {
    const response = await core.process(principal, {
      using: ['urn:ietf:params:jmap:core', 'urn:ietf:params:jmap:mail'],
      methodCalls: [['Email/parse', { accountId: box.accountId, blobIds: [blobId] }, '0']],
    })
    return 'methodResponses' in response ? response.methodResponses[0]![1] : response
  }
  t.match(await parseAs(reader.principal), { parsed: null, notFound: [blobId] })
  t.match(await parseAs(box.principal), { parsed: { [blobId]: {} } })
})

t.test('too many blobs are requestTooLarge', async (t) => {
  const blobIds = Array.from({ length: 51 }, (_, i) => `blb_${i}`)
  t.match(await box.call('Email/parse', { blobIds }), { type: 'requestTooLarge' })
  t.match(await box.call('Email/parse', { blobIds: blobIds.slice(1) }), { parsed: null })
})

t.test('an organization has no messages to parse', async (t) => {
  t.match(await box.call('Email/parse', { accountId: organization.accountId, blobIds: [] }), {
    type: /^account(NotFound|NotSupportedByMethod)$/,
  })
})

t.test(
  'the memory of a large message is given back when it is parsed, and that of a part when it is cut',
  async (t) => {
    const seen: Uint8Array[] = []
    const messageWork: MessageWork = {
      ...WORK_HERE,
      parseLent(message) {
        seen.push(message)
        return WORK_HERE.parseLent(message)
      },
      async decodeGiven(body, encoding) {
        const content = await WORK_HERE.decodeGiven(body, encoding)
        seen.push(content)
        return content
      },
    }
    const own = await startCore(t, 'sqlite', {}, { messageWork })
    const { principal, accountId, call } = await own.mailbox('large')
    // A character outside of the alphabet: it can only be decoded as a whole.
    const base64 = `!${Buffer.alloc(FREED_FROM_BYTES * 2).toString('base64')}`
    const bytes = octets(`Content-Type: application/x\nContent-Transfer-Encoding: base64\n\n${base64}\n`)
    const { blobId } = (await own.core.upload(principal, accountId, 'message/rfc822', bytes))!
    const [part] = (await call('Email/parse', { blobIds: [blobId] })).parsed[blobId].attachments
    const piece = await own.core.download(principal, accountId, part.blobId, { start: 5, end: 15 })
    t.same(Buffer.from(piece!.bytes), Buffer.alloc(10))
    t.same((await call('Email/parse', { blobIds: [part.blobId] })).notParsable, [part.blobId])
    t.ok(seen.length >= 3)
    for (const { buffer } of seen) t.equal(buffer.byteLength, 0)
  },
)

import t from 'tap'
import { parseBody, startCore } from '../../support/core.ts'
import { forEachEngine } from '../../support/engines.ts'
import { matchWhole } from '../../support/match-whole.ts'
import { mail } from '../mails.ts'

const DEFAULT_PROPERTIES = [
  ...['id', 'blobId', 'threadId', 'mailboxIds', 'keywords', 'size', 'receivedAt', 'messageId', 'inReplyTo'],
  ...['references', 'sender', 'from', 'to', 'cc', 'bcc', 'replyTo', 'subject', 'sentAt', 'hasAttachment', 'preview'],
  ...['bodyValues', 'textBody', 'htmlBody', 'attachments'],
]

const RICH = `Received: from relay by mx; Thu, 1 Jan 2026 00:00:01 +0000
From: "Bob, the builder" <bob@example.org>
Sender: Secretary <office@example.org>
To: =?utf-8?q?J=C3=BCrgen?= <juergen@example.test>,
 Team: ann@example.test, ben@example.test;
Cc: carol@example.test
Reply-To: replies@example.org
Subject: =?utf-8?q?Gr=C3=BC=C3=9Fe?= and more
Date: Thu, 1 Jan 2026 01:02:03 +0200
Message-ID: <rich@example.org>
In-Reply-To: <root@example.org>
References: <root@example.org> <r1@example.org>
List-Unsubscribe: <https://example.org/off>, <mailto:off@example.org>
X-Tag: one
X-Tag: two
MIME-Version: 1.0
Content-Type: multipart/mixed; boundary=outer

--outer
Content-Type: multipart/alternative; boundary=inner

--inner
Content-Type: text/plain; charset=iso-8859-1
Content-Transfer-Encoding: quoted-printable

Gr=FC=DFe von Bob
--inner
Content-Type: text/html; charset=utf-8
Content-Language: de, en

<p>Gr\u00fc\u00dfe von <b>Bob</b></p>
--inner--
--outer
Content-Type: image/png; name=logo.png
Content-Disposition: inline; filename=logo.png
Content-ID: <logo@example.org>
Content-Transfer-Encoding: base64

iVBORw0KGgo=
--outer
Content-Type: application/pdf
Content-Disposition: attachment; filename*=utf-8''R%C3%A9sum%C3%A9.pdf
Content-Transfer-Encoding: base64

JVBERi0xLjQ=
--outer--
`

await forEachEngine(t, async (t, engine) => {
  const { core, mailbox } = await startCore(t, engine)
  const hello = await mailbox('hello')
  const id = await hello.receive(RICH, Date.UTC(2026, 0, 1, 12))
  const get = async (properties: string[] | null, more: object = {}) =>
    (await hello.call('Email/get', { ids: [id], properties, ...more })).list[0]

  t.test('without properties the default properties of the RFC are returned (RFC 8621 4.2)', async (t) => {
    t.same(Object.keys(await get(null)).sort(), DEFAULT_PROPERTIES.toSorted())
  })

  t.test('metadata is returned as stored (RFC 8621 4.1.1)', async (t) => {
    t.match(await get(null), {
      id,
      mailboxIds: { [hello.roles['inbox']!]: true },
      keywords: {},
      size: Buffer.byteLength(RICH.replaceAll('\n', '\r\n')),
      receivedAt: '2026-01-01T12:00:00Z',
    })
  })

  t.test('convenience properties are the parsed forms of their fields (RFC 8621 4.1.3)', async (t) => {
    const juergen = { name: 'J\u00fcrgen', email: 'juergen@example.test' }
    t.match(await get(null), {
      from: [{ name: 'Bob, the builder', email: 'bob@example.org' }],
      sender: [{ name: 'Secretary', email: 'office@example.org' }],
      to: [juergen, { name: null, email: 'ann@example.test' }, { name: null, email: 'ben@example.test' }],
      cc: [{ name: null, email: 'carol@example.test' }],
      bcc: null,
      replyTo: [{ name: null, email: 'replies@example.org' }],
      subject: 'Gr\u00fc\u00dfe and more',
      sentAt: '2026-01-01T01:02:03+02:00',
      messageId: ['rich@example.org'],
      inReplyTo: ['root@example.org'],
      references: ['root@example.org', 'r1@example.org'],
    })
  })

  t.test('each header form gives the expected value (RFC 8621 4.1.2)', async (t) => {
    const properties = {
      'header:Subject': ' =?utf-8?q?Gr=C3=BC=C3=9Fe?= and more',
      'header:Subject:asText': 'Gr\u00fc\u00dfe and more',
      'header:Cc:asAddresses': [{ name: null, email: 'carol@example.test' }],
      'header:To:asGroupedAddresses': [
        { name: null, addresses: [{ name: 'J\u00fcrgen', email: 'juergen@example.test' }] },
        {
          name: 'Team',
          addresses: [
            { name: null, email: 'ann@example.test' },
            { name: null, email: 'ben@example.test' },
          ],
        },
      ],
      'header:References:asMessageIds': ['root@example.org', 'r1@example.org'],
      'header:Date:asDate': '2026-01-01T01:02:03+02:00',
      'header:List-Unsubscribe:asURLs': ['https://example.org/off', 'mailto:off@example.org'],
    }
    t.same(await get(Object.keys(properties)), { id, ...properties })
  })

  t.test('the last field of a name counts, `:all` gives each in order (RFC 8621 4.1.3)', async (t) => {
    const properties = ['header:X-Tag', 'header:X-Tag:all', 'header:X-Tag:asText:all']
    t.same(await get(properties), {
      id,
      'header:X-Tag': ' two',
      'header:X-Tag:all': [' one', ' two'],
      'header:X-Tag:asText:all': ['one', 'two'],
    })
  })

  t.test('a missing field is null, with `:all` an empty list (RFC 8621 4.1.3)', async (t) => {
    const properties = ['header:X-None', 'header:X-None:asText', 'header:X-None:all', 'header:X-None:asAddresses:all']
    t.same(await get(properties), {
      id,
      'header:X-None': null,
      'header:X-None:asText': null,
      'header:X-None:all': [],
      'header:X-None:asAddresses:all': [],
    })
  })

  t.test('a field name is matched without case, and returned as requested (RFC 8621 4.2)', async (t) => {
    t.same(await get(['header:x-tAG', 'header:SUBJECT:asText']), {
      id,
      'header:x-tAG': ' two',
      'header:SUBJECT:asText': 'Gr\u00fc\u00dfe and more',
    })
  })

  t.test(
    'a form that a field does not have, or a malformed property, is invalidArguments (RFC 8621 4.2)',
    async (t) => {
      for (const name of [
        'header:From:asDate',
        'header:Subject:asAddresses',
        'header:Date:asText',
        'header:Received:asText',
        'header:',
        'header:Sub ject',
        'header:Subject:asNonsense',
        'header:Subject:all:asText',
        'Subject',
        'size ',
      ])
        t.match(await hello.call('Email/get', { ids: [id], properties: [name] }), { type: 'invalidArguments' }, name)
    },
  )

  t.test('headers lists all fields raw, in order (RFC 8621 4.1.3)', async (t) => {
    const { headers } = await get(['headers'])
    t.same(headers[0], { name: 'Received', value: ' from relay by mx; Thu, 1 Jan 2026 00:00:01 +0000' })
    t.same(
      headers.map(({ name }: { name: string }) => name).filter((name: string) => name === 'X-Tag'),
      ['X-Tag', 'X-Tag'],
    )
    t.equal(headers.length, 16)
    t.match(headers.find(({ name }: { name: string }) => name === 'To').value, '\r\n Team:', 'folding stays')
  })

  t.test('the bodies are decomposed into textBody, htmlBody and attachments (RFC 8621 4.1.4)', async (t) => {
    const { textBody, htmlBody, attachments, hasAttachment } = await get(null)
    t.same(
      textBody.map(({ type }: { type: string }) => type),
      ['text/plain', 'image/png'],
    )
    t.same(
      htmlBody.map(({ type }: { type: string }) => type),
      ['text/html', 'image/png'],
    )
    t.match(
      attachments.map(({ name }: { name: string }) => name),
      ['R\u00e9sum\u00e9.pdf'],
    )
    t.equal(hasAttachment, true)
  })

  t.test('a part has the default bodyProperties and no others (RFC 8621 4.2)', async (t) => {
    const { textBody } = await get(['textBody'])
    t.same(Object.keys(textBody[0]).sort(), [
      ...['blobId', 'charset', 'cid', 'disposition', 'language', 'location', 'name', 'partId', 'size', 'type'],
    ])
    t.match(textBody[0], { charset: 'iso-8859-1', disposition: null, cid: null, size: 13 })
  })

  t.test('bodyProperties selects the properties of a part, including header forms (RFC 8621 4.2)', async (t) => {
    const bodyProperties = ['type', 'header:Content-Language', 'header:Content-Type:asText']
    const { htmlBody } = await get(['htmlBody'], { bodyProperties })
    t.same(htmlBody[0], {
      type: 'text/html',
      'header:Content-Language': ' de, en',
      'header:Content-Type:asText': 'text/html; charset=utf-8',
    })
    t.match(await hello.call('Email/get', { ids: [id], bodyProperties: ['nonsense'] }), { type: 'invalidArguments' })
    t.match(await hello.call('Email/get', { ids: [id], bodyProperties: ['header:From:asDate'] }), {
      type: 'invalidArguments',
    })
  })

  t.test('bodyStructure is the whole tree, whatever bodyProperties names (RFC 8621 4.1.4)', async (t) => {
    const { bodyStructure } = await get(['bodyStructure'], { bodyProperties: ['type', 'partId', 'blobId'] })
    const leaf = (type: string) => ({ type, partId: /./, blobId: /./ })
    t.match(bodyStructure, {
      type: 'multipart/mixed',
      partId: null,
      blobId: null,
      subParts: [
        { type: 'multipart/alternative', partId: null, subParts: [leaf('text/plain'), leaf('text/html')] },
        leaf('image/png'),
        leaf('application/pdf'),
      ],
    })
    t.notOk('subParts' in bodyStructure.subParts[1])
    const asked = await get(['bodyStructure'], { bodyProperties: ['type', 'subParts'] })
    t.equal(asked.bodyStructure.subParts[1].subParts, null)
  })

  t.test('a part has disposition, cid, language and its raw header fields (RFC 8621 4.1.4)', async (t) => {
    const bodyProperties = ['type', 'disposition', 'cid', 'language', 'headers']
    const { bodyStructure } = await get(['bodyStructure'], { bodyProperties })
    const [alternative, image] = bodyStructure.subParts
    t.match(image, { disposition: 'inline', cid: 'logo@example.org', language: null })
    t.same(image.headers[0], { name: 'Content-Type', value: ' image/png; name=logo.png' })
    t.same(alternative.subParts[1].language, ['de', 'en'])
  })

  t.test('bodyValues holds the requested values (RFC 8621 4.2)', async (t) => {
    const values = async (args: object) => (await get(['bodyValues'], args)).bodyValues
    t.same(await values({}), {})
    const { textBody, htmlBody } = await get(['textBody', 'htmlBody'])
    const [text, html] = [textBody[0].partId, htmlBody[0].partId]
    t.same(Object.keys(await values({ fetchTextBodyValues: true })), [text])
    t.same(Object.keys(await values({ fetchHTMLBodyValues: true })), [html])
    t.same(await values({ fetchAllBodyValues: true }), {
      [text]: { value: 'Gr\u00fc\u00dfe von Bob', isEncodingProblem: false, isTruncated: false },
      [html]: { value: '<p>Gr\u00fc\u00dfe von <b>Bob</b></p>', isEncodingProblem: false, isTruncated: false },
    })
  })

  t.test('maxBodyValueBytes cuts by octets, not inside a character or a tag (RFC 8621 4.2)', async (t) => {
    const values = async (maxBodyValueBytes: number) => {
      const { bodyValues } = await get(['bodyValues'], { fetchAllBodyValues: true, maxBodyValueBytes })
      return (Object.values(bodyValues) as { value: string; isTruncated: boolean }[]).map((one) => [
        one.value,
        one.isTruncated,
      ])
    }
    const html = '<p>Gr\u00fc\u00dfe von <b>Bob</b></p>'
    t.same(await values(3), [
      ['Gr', true],
      ['<p>', true],
    ])
    t.same(await values(17), [
      ['Gr\u00fc\u00dfe von Bob', false],
      ['<p>Gr\u00fc\u00dfe von ', true],
    ])
    t.same((await values(0))[1], [html, false], '0 is no limit')
    t.same((await values(Buffer.byteLength(html)))[1], [html, false])
  })

  t.test(
    'a wrong or unknown charset is an encoding problem, and readable text is returned (RFC 8621 4.1.4)',
    async (t) => {
      const headers = ['MIME-Version: 1.0', 'Content-Type: text/plain; charset=x-nonsense']
      const odd = await hello.receive(mail({ headers, body: 'readable' }))
      const { list } = await hello.call('Email/get', {
        ids: [odd],
        properties: ['bodyValues'],
        fetchAllBodyValues: true,
      })
      const [value] = Object.values(list[0].bodyValues)
      t.match(value, { value: /readable/, isEncodingProblem: true })
    },
  )

  t.test('the preview is plain text of at most 256 characters (RFC 8621 4.1.4)', async (t) => {
    const headers = ['MIME-Version: 1.0', 'Content-Type: text/html; charset=utf-8']
    const body = `<style>p{}</style><p>Short &amp; <b>sweet</b> ${'word '.repeat(200)}</p>`
    const long = await hello.receive(mail({ headers, body }))
    const { preview } = (await hello.call('Email/get', { ids: [long], properties: ['preview'] })).list[0]
    t.ok(preview.startsWith('Short & sweet word'))
    t.ok(preview.length <= 256 && preview.length > 200)
  })

  t.test('an email without downloadable parts has no attachment (RFC 8621 4.1.4)', async (t) => {
    const plain = await hello.receive(mail())
    t.equal(
      (await hello.call('Email/get', { ids: [plain], properties: ['hasAttachment'] })).list[0].hasAttachment,
      false,
    )
  })

  t.test('list properties and others can be requested together, in one object', async (t) => {
    t.same(Object.keys(await get(['subject', 'header:X-Tag', 'keywords'])), [
      'id',
      'subject',
      'header:X-Tag',
      'keywords',
    ])
  })

  t.test('a message without any header field is still an email', async (t) => {
    const bare = await hello.receive(Buffer.from('just text\r\n'))
    const [email] = (await hello.call('Email/get', { ids: [bare] })).list
    t.match(email, { subject: null, from: null, sentAt: null, messageId: null })
  })

  t.test('vendor properties are returned only on request (decision D13)', async (t) => {
    matchWhole(t, await get(['source', 'deliveryStatus', 'recipients', 'createdAt', 'updatedAt']), {
      source: 'inbound',
      deliveryStatus: 'delivered',
      recipients: [],
      createdAt: /Z$/,
    })
  })

  t.test('the text of the response is the same as the data', async (t) => {
    const args = { accountId: hello.accountId, ids: [id], properties: ['subject', 'from', 'keywords', 'mailboxIds'] }
    const request = { using: ['urn:ietf:params:jmap:mail'], methodCalls: [['Email/get', args, 'a']] }
    const { body } = await core.processText(hello.principal, Buffer.from(JSON.stringify(request)))
    t.same(parseBody(body).methodResponses[0][1].list[0], await get(args.properties))
  })

  t.test('a large message is read in parts', async (t) => {
    const large = await hello.receive(mail({ subject: 'Large', body: 'line of text\n'.repeat(20_000) }))
    const { list } = await hello.call('Email/get', {
      ids: [large],
      properties: ['bodyValues', 'header:Subject:asText'],
      fetchTextBodyValues: true,
      maxBodyValueBytes: 24,
    })
    t.equal(list[0]['header:Subject:asText'], 'Large')
    t.match(Object.values(list[0].bodyValues)[0], { value: 'line of text\nline of tex', isTruncated: true })
  })
})

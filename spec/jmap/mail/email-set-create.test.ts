import t from 'tap'
import { type Result, startCore } from '../../support/core.ts'
import { forEachEngine } from '../../support/engines.ts'
import { mail, octets } from '../mails.ts'

await forEachEngine(t, async (t, engine) => {
  const { core, clock, mailbox } = await startCore(t, engine, {
    maxSizeAttachmentsPerEmail: 5_000,
    maxMailboxesPerEmail: 4,
  })
  const hello = await mailbox('hello')
  const mailboxIds = { [hello.roles['drafts']!]: true }
  const create = async (email: object): Promise<Result> => {
    const answer = await hello.call('Email/set', { create: { e: { mailboxIds, ...email } } })
    return answer.created?.e ?? answer.notCreated.e
  }
  const made = async (email: object, properties: string[] | null = null, args: object = {}): Promise<Result> => {
    const { id, type, ...error } = await create(email)
    if (!id) throw new Error(`${type} ${JSON.stringify(error)}`)
    return (await hello.call('Email/get', { ids: [id], properties, fetchAllBodyValues: true, ...args })).list[0]
  }
  const refused = async (t: Result, email: object, properties: string[], type = 'invalidProperties') => {
    const error = await create(email)
    t.equal(error.type, type, JSON.stringify(email).slice(0, 200))
    if (type === 'invalidProperties') t.same(error.properties, properties)
  }
  const raw = async (email: object): Promise<string> => {
    const { blobId } = await create(email)
    return Buffer.from((await core.download(hello.principal, hello.accountId, blobId))!.bytes).toString('latin1')
  }
  const upload = async (bytes: Uint8Array | string, type = 'application/octet-stream') =>
    (await core.upload(hello.principal, hello.accountId, type, Buffer.from(bytes as string)))!.blobId
  const values = (email: Result): string[] =>
    (Object.values(email.bodyValues) as { value: string }[]).map((one) => one.value)
  const text = { textBody: [{ partId: 't' }], bodyValues: { t: { value: 'Plain\ntext' } } }

  t.test('created has id, blobId, threadId and size (RFC 8621 4.6)', async (t) => {
    const created = await create(text)
    t.same(Object.keys(created).sort(), ['blobId', 'id', 'size', 'threadId'])
    const [own] = (await hello.call('Email/get', { ids: [created.id], properties: ['blobId', 'threadId', 'size'] }))
      .list
    t.same(own, created)
    const download = await core.download(hello.principal, hello.accountId, created.blobId)
    t.equal(download!.size, created.size)
  })

  t.test('an email with only a mailbox is a draft with Date and Message-ID (RFC 8621 4.6)', async (t) => {
    const email = await made({})
    t.equal(Date.parse(email.sentAt), clock.now())
    t.equal(Date.parse(email.receivedAt), clock.now())
    t.match(email.messageId, [/^[^@]+@example\.test$/])
    t.same(values(email), [''])
    t.match(email, { from: null, to: null, subject: null, keywords: {}, hasAttachment: false })
  })

  t.test('two emails never get the same Message-ID', async (t) => {
    const [one, two] = [await made({}), await made({})]
    t.not(one.messageId[0], two.messageId[0])
  })

  t.test('convenience properties become their fields (RFC 8621 4.1.3)', async (t) => {
    const email = {
      from: [{ name: 'J\u00fcrgen "J" O\'Neil', email: 'j@example.test' }],
      sender: [{ name: null, email: 'office@example.test' }],
      to: [
        { name: 'Ann, B.', email: 'ann@example.org' },
        { name: null, email: 'ben@example.org' },
      ],
      cc: [{ name: '\u6771\u4eac', email: 'c@example.org' }],
      bcc: [{ name: null, email: 'd@example.org' }],
      replyTo: [{ name: 'R', email: 'r@example.test' }],
      subject: `Gr\u00fc\u00dfe ${'sehr '.repeat(40)}\u{1f600}`,
      sentAt: '2025-12-31T23:59:58+05:30',
      messageId: ['own@example.test'],
      inReplyTo: ['one@example.org'],
      references: ['zero@example.org', 'one@example.org'],
    }
    t.match(await made(email), email)
  })

  t.test('an address without a name has the name null', async (t) => {
    t.same((await made({ from: [{ email: 'a@example.test' }] })).from, [{ name: null, email: 'a@example.test' }])
  })

  t.test('any other field is set by header:* in an allowed form (RFC 8621 4.1.3)', async (t) => {
    const properties = {
      'header:X-Text:asText': 'Gr\u00fc\u00dfe',
      'header:X-Raw': ' as it is',
      'header:X-Many:asText:all': ['one', 'two'],
      'header:List-Unsubscribe:asURLs': ['https://example.org/off'],
      'header:X-Date:asDate': '2026-01-01T00:00:00Z',
      'header:Resent-To:asAddresses': [{ name: null, email: 'x@example.org' }],
      'header:To:asGroupedAddresses': [{ name: 'Team', addresses: [{ name: null, email: 'a@example.org' }] }],
    }
    const { id: _id, ...read } = await made(properties, Object.keys(properties))
    t.same(read, properties)
  })

  t.test('headers cannot be set as a list (RFC 8621 4.6)', async (t) => {
    await refused(t, { headers: [{ name: 'X', value: 'y' }] }, ['headers'])
    await refused(t, { bodyStructure: { partId: 't', headers: [] }, bodyValues: text.bodyValues }, [
      'bodyStructure/headers',
    ])
  })

  t.test('two properties cannot set one field (RFC 8621 4.6)', async (t) => {
    await refused(t, { subject: 'a', 'header:Subject:asText': 'b' }, ['header:Subject:asText'])
    await refused(t, { 'header:X-A': ' a', 'header:x-a:asText': 'b' }, ['header:x-a:asText'])
    await refused(t, { 'header:X-A:all': [' a'], 'header:X-A:asText': 'b' }, ['header:X-A:asText'])
    const part = { partId: 't', 'header:X-B': ' a', 'header:X-B:asText': 'b' }
    await refused(t, { bodyStructure: part, bodyValues: text.bodyValues }, ['bodyStructure/header:X-B:asText'])
  })

  t.test('a form that the field does not have is refused (RFC 8621 4.6)', async (t) => {
    await refused(t, { 'header:From:asText': 'a' }, ['header:From:asText'])
    await refused(t, { 'header:Subject:asDate': '2026-01-01T00:00:00Z' }, ['header:Subject:asDate'])
    await refused(t, { 'header:X-A:asAddresses': 'a' }, ['header:X-A:asAddresses'])
    await refused(t, { 'header:X-A:all': 'a' }, ['header:X-A:all'])
    await refused(t, { 'header:': 'a' }, ['header:'])
  })

  t.test('Content-* fields are set on body parts, never on the email (RFC 8621 4.6)', async (t) => {
    await refused(t, { 'header:Content-Type:asText': 'text/plain' }, ['header:Content-Type:asText'])
    await refused(t, { 'header:content-language': ' de' }, ['header:content-language'])
    const part = {
      partId: 't',
      'header:Content-Type:asText': 'text/calendar; method=REQUEST; name=invite.ics',
      'header:Content-Language': ' de, en',
      'header:X-Part:asText': 'one',
    }
    const { bodyStructure } = await made({ bodyStructure: part, bodyValues: text.bodyValues }, ['bodyStructure'], {
      bodyProperties: ['type', 'name', 'language', 'header:X-Part:asText', 'header:Content-Type:asText'],
    })
    t.match(bodyStructure, {
      type: 'text/calendar',
      name: 'invite.ics',
      language: ['de', 'en'],
      'header:X-Part:asText': 'one',
      'header:Content-Type:asText': /method=REQUEST/i,
    })
  })

  t.test('a part cannot have a Content-Transfer-Encoding, nor its type twice (RFC 8621 4.6)', async (t) => {
    const structure = (more: object) => ({ bodyStructure: { partId: 't', ...more }, bodyValues: text.bodyValues })
    await refused(t, structure({ 'header:Content-Transfer-Encoding': ' 8bit' }), [
      'bodyStructure/header:Content-Transfer-Encoding',
    ])
    await refused(t, structure({ type: 'text/plain', 'header:Content-Type': ' text/html' }), [
      'bodyStructure/header:Content-Type',
    ])
  })

  t.test('the root part cannot set a field that the email sets (RFC 8621 4.6)', async (t) => {
    const bodyStructure = { partId: 't', 'header:Subject:asText': 'b' }
    await refused(t, { subject: 'a', bodyStructure, bodyValues: text.bodyValues }, [
      'bodyStructure/header:Subject:asText',
    ])
    const email = await made({
      bodyStructure: { partId: 't', 'header:Date:asDate': '2020-01-01T00:00:00Z' },
      bodyValues: text.bodyValues,
    })
    t.equal(email.sentAt, '2020-01-01T00:00:00Z', 'and what it names is not made twice')
  })

  t.test('bodyStructure cannot be combined with the lists (RFC 8621 4.6)', async (t) => {
    const bodyStructure = { partId: 't' }
    const { bodyValues } = text
    await refused(t, { bodyStructure, bodyValues, textBody: [{ partId: 't' }] }, ['textBody'])
    await refused(t, { bodyStructure, bodyValues, htmlBody: [], attachments: [] }, ['htmlBody', 'attachments'])
  })

  t.test('textBody and htmlBody hold exactly one part of their type (RFC 8621 4.6)', async (t) => {
    const bodyValues = { t: { value: 'x' }, u: { value: 'y' } }
    await refused(t, { bodyValues, textBody: [] }, ['textBody'])
    await refused(t, { bodyValues, textBody: [{ partId: 't' }, { partId: 'u' }] }, ['textBody'])
    await refused(t, { bodyValues, textBody: [{ partId: 't', type: 'text/html' }] }, ['textBody/0/type'])
    await refused(t, { bodyValues, htmlBody: [{ partId: 't', type: 'text/plain' }] }, ['htmlBody/0/type'])
    await refused(t, { bodyValues, htmlBody: [null] }, ['htmlBody'])
  })

  t.test('text alone, html alone, both, and none give the usual structure of mail', async (t) => {
    const types = async (email: object) => {
      const { bodyStructure } = await made(email, ['bodyStructure'], { bodyProperties: ['type'] })
      const shape = (part: Result): Result => (part.subParts ? [part.type, ...part.subParts.map(shape)] : part.type)
      return shape(bodyStructure)
    }
    const bodyValues = { t: { value: 'x' }, h: { value: '<p>x</p>' } }
    const [textBody, htmlBody] = [[{ partId: 't' }], [{ partId: 'h' }]]
    const png = { blobId: await upload('png'), type: 'image/png' }
    const inline = { ...png, cid: 'a@x', disposition: 'inline' }
    t.same(await types({ bodyValues, textBody }), 'text/plain')
    t.same(await types({ bodyValues, htmlBody }), 'text/html')
    t.same(await types({ bodyValues, textBody, htmlBody }), ['multipart/alternative', 'text/plain', 'text/html'])
    t.same(await types({ bodyValues, textBody, attachments: [png] }), ['multipart/mixed', 'text/plain', 'image/png'])
    t.same(await types({ bodyValues, htmlBody, attachments: [inline] }), [
      'multipart/related',
      'text/html',
      'image/png',
    ])
    t.same(await types({ bodyValues, textBody, htmlBody, attachments: [png, inline] }), [
      'multipart/mixed',
      ['multipart/related', ['multipart/alternative', 'text/plain', 'text/html'], 'image/png'],
      'image/png',
    ])
    t.same(await types({ attachments: [png] }), ['multipart/mixed', 'text/plain', 'image/png'])
  })

  t.test('a bodyStructure is written as given', async (t) => {
    const bodyStructure = {
      type: 'multipart/mixed',
      subParts: [
        { type: 'multipart/alternative', subParts: [{ partId: 'a' }, { partId: 'b', type: 'text/html' }] },
        {
          partId: 'c',
          type: 'text/plain',
          disposition: 'attachment',
          name: 'r\u00e9sum\u00e9.txt',
          language: ['fr'],
          location: 'https://x.test/a',
        },
      ],
    }
    const bodyValues = { a: { value: 'A' }, b: { value: 'B' }, c: { value: 'C' } }
    const email = await made({ bodyStructure, bodyValues }, ['bodyStructure', 'bodyValues'])
    t.match(email.bodyStructure.subParts[1], {
      type: 'text/plain',
      disposition: 'attachment',
      name: 'r\u00e9sum\u00e9.txt',
      language: ['fr'],
      location: 'https://x.test/a',
    })
    t.same(values(email), ['A', 'B', 'C'])
  })

  t.test('only a multipart has subParts, and at least one', async (t) => {
    const { bodyValues } = text
    await refused(t, { bodyValues, bodyStructure: { type: 'text/plain', subParts: [{ partId: 't' }] } }, [
      'bodyStructure/subParts',
    ])
    const mixed = (more: object) => ({ bodyValues, bodyStructure: { type: 'multipart/mixed', ...more } })
    await refused(t, mixed({ subParts: [] }), ['bodyStructure/subParts'])
    await refused(t, mixed({}), ['bodyStructure/subParts'])
    await refused(t, mixed({ subParts: [{ partId: 't' }, 7] }), ['bodyStructure/subParts/1'])
    await refused(t, mixed({ subParts: [{ partId: 't' }], partId: 't' }), ['bodyStructure/partId'])
  })

  t.test('a part has either a partId or a blobId (RFC 8621 4.6)', async (t) => {
    const blobId = await upload('x')
    const { bodyValues } = text
    await refused(t, { bodyValues, textBody: [{ partId: 't', blobId }] }, ['textBody/0/blobId'])
    await refused(t, { bodyValues, textBody: [{}] }, ['textBody/0/partId'])
    await refused(t, { bodyValues, attachments: [{ blobId }, { type: 'text/plain' }] }, ['attachments/1/partId'])
  })

  t.test('a partId names a value, without charset and size (RFC 8621 4.6)', async (t) => {
    const { bodyValues } = text
    await refused(t, { bodyValues, textBody: [{ partId: 'x' }] }, ['bodyValues'])
    await refused(t, { textBody: [{ partId: 't' }] }, ['bodyValues'])
    await refused(t, { bodyValues, textBody: [{ partId: '__proto__' }] }, ['bodyValues'])
    await refused(t, { bodyValues, textBody: [{ partId: 't', charset: 'utf-8' }] }, ['textBody/0/charset'])
    await refused(t, { bodyValues, textBody: [{ partId: 't', size: 3 }] }, ['textBody/0/size'])
    await refused(t, { bodyValues, textBody: [{ partId: 't', size: 3, charset: 'utf-8', cid: 7 }] }, [
      ...['textBody/0/cid', 'textBody/0/charset', 'textBody/0/size'],
    ])
    t.ok(await made({ bodyValues, textBody: [{ partId: 't', charset: null, size: null }] }))
  })

  t.test('a truncated or wrongly decoded value is refused (RFC 8621 4.6)', async (t) => {
    for (const flag of ['isTruncated', 'isEncodingProblem']) {
      const bodyValues = { t: { value: 'x', [flag]: true } }
      await refused(t, { bodyValues, textBody: [{ partId: 't' }] }, [`bodyValues/t/${flag}`])
      t.ok(await made({ bodyValues: { t: { value: 'x', [flag]: false } }, textBody: [{ partId: 't' }] }))
    }
  })

  t.test('all faults of a value are named (RFC 8620 5.3)', async (t) => {
    const wrong = { value: 'x', isEncodingProblem: true, isTruncated: true }
    const textBody = [{ partId: 't' }]
    await refused(t, { bodyValues: { t: wrong }, textBody }, [
      'bodyValues/t/isEncodingProblem',
      'bodyValues/t/isTruncated',
    ])
    await refused(t, { bodyValues: { t: { ...wrong, value: 7 } }, textBody }, [
      ...['bodyValues/t/isEncodingProblem', 'bodyValues/t/isTruncated', 'bodyValues/t/value'],
    ])
    await refused(t, { bodyValues: { t: wrong, h: wrong }, textBody, htmlBody: [{ partId: 'h' }] }, [
      ...['bodyValues/t/isEncodingProblem', 'bodyValues/t/isTruncated'],
      ...['bodyValues/h/isEncodingProblem', 'bodyValues/h/isTruncated'],
    ])
  })

  t.test('only a text part gets a charset (RFC 8621 4.1.4)', async (t) => {
    const part = { partId: 't', disposition: 'attachment' }
    const charsetOf = async (type: string) => {
      const email = await made({ bodyStructure: { ...part, type }, bodyValues: { t: { value: '{"a": "\u00fc"}' } } }, [
        'bodyStructure',
      ])
      return email.bodyStructure.charset
    }
    for (const type of ['application/json', 'image/svg+xml', 'message/delivery-status'])
      t.equal(await charsetOf(type), null, type)
    for (const type of ['text/plain', 'text/csv']) t.equal(await charsetOf(type), 'utf-8', type)
  })

  t.test('a part of a digest is a message unless it names another type (RFC 2046 5.1.5)', async (t) => {
    const value = 'From: a@x.test\nSubject: Gr\u00fc\u00dfe\n\nInner \u00fc\n'
    const bodyStructure = {
      type: 'multipart/digest',
      subParts: [{ partId: 't' }, { partId: 't', type: 'text/plain' }, { blobId: await upload('Subject: y\r\n\r\nz') }],
    }
    const email = await made({ bodyStructure, bodyValues: { t: { value } } }, ['bodyStructure'])
    const { subParts } = email.bodyStructure
    t.same(
      subParts.map((part: Result) => part.type),
      ['message/rfc822', 'text/plain', 'message/rfc822'],
    )
    const download = await core.download(hello.principal, hello.accountId, subParts[0].blobId)
    t.equal(
      Buffer.from(download!.bytes).toString(),
      value.replaceAll('\n', '\r\n'),
      'not encoded again (RFC 2046 5.2.1)',
    )
    const mixed = { type: 'multipart/mixed', subParts: [{ partId: 't' }] }
    const plain = await made({ bodyStructure: mixed, bodyValues: { t: { value } } }, ['bodyStructure'])
    t.equal(plain.bodyStructure.subParts[0].type, 'text/plain', 'control')
  })

  t.test('text is returned unchanged, in any script and with any line length', async (t) => {
    const value = `Gr\u00fc\u00dfe \u6771\u4eac \u{1f600}\n.\nFrom here\n${'x'.repeat(3_000)}\n\nlast = line `
    t.same(values(await made({ textBody: [{ partId: 't' }], bodyValues: { t: { value } } })), [value])
  })

  t.test('an attachment is returned octet for octet, and the message is encoded (pitfall 19)', async (t) => {
    const bytes = Buffer.from(Array.from({ length: 1_000 }, (_, i) => i % 256))
    const blobId = await upload(bytes)
    const attachments = [{ blobId, type: 'application/x-thing', name: 'thing.bin' }]
    const email = await made({ ...text, attachments })
    t.match(email.attachments, [
      { type: 'application/x-thing', name: 'thing.bin', size: 1_000, disposition: 'attachment' },
    ])
    const part = await core.download(hello.principal, hello.accountId, email.attachments[0].blobId)
    t.same(Buffer.from(part!.bytes), bytes)
    t.match(await raw({ ...text, attachments }), /^[\t\r\n\x20-\x7e]*$/)
  })

  t.test('a text attachment keeps its charset', async (t) => {
    const blobId = await upload(Buffer.from('Gr\u00fc\u00dfe', 'latin1'), 'text/plain')
    const attachments = [{ blobId, type: 'text/plain', charset: 'iso-8859-1', disposition: 'attachment' }]
    const email = await made({ ...text, attachments })
    t.match(email.attachments[0], { charset: 'iso-8859-1', size: 5 })
    t.ok(values(email).includes('Gr\u00fc\u00dfe'))
  })

  t.test('parts of emails and whole emails may be attached by their blobIds', async (t) => {
    const id = await hello.receive(mail({ subject: 'Inner' }))
    const { blobId } = (await hello.call('Email/get', { ids: [id], properties: ['blobId'] })).list[0]
    const outer = await made({ ...text, attachments: [{ blobId, type: 'message/rfc822' }] })
    const inner = await core.download(hello.principal, hello.accountId, outer.attachments[0].blobId)
    t.match(Buffer.from(inner!.bytes).toString(), 'Subject: Inner')
    const again = await made({
      ...text,
      attachments: [{ blobId: outer.attachments[0].blobId, type: 'message/rfc822' }],
    })
    t.equal(again.attachments[0].size, outer.attachments[0].size)
  })

  t.test('every missing blob is in blobNotFound, before other faults (RFC 8621 4.6)', async (t) => {
    const attachments = [
      { blobId: 'x' },
      { blobId: 'y', type: 'image/png' },
      { blobId: 'x' },
      { blobId: await upload('ok') },
    ]
    const error = await create({ textBody: [], attachments })
    t.same(error, { type: 'blobNotFound', notFound: ['x', 'y'] })
  })

  t.test('a blob of another account is not found (promise J2)', async (t) => {
    const other = await mailbox('other')
    const upload = await core.upload(other.principal, other.accountId, 'text/plain', Buffer.from('theirs'))
    const email = await other.receive(mail())
    const { blobId } = (await other.call('Email/get', { ids: [email], properties: ['blobId'] })).list[0]
    for (const id of [upload!.blobId, blobId])
      t.same(await create({ ...text, attachments: [{ blobId: id }] }), { type: 'blobNotFound', notFound: [id] })
  })

  t.test('attachments larger in all than the session advertises are tooLarge (RFC 8621 1.3.1)', async (t) => {
    const half = { blobId: await upload('x'.repeat(2_500)) }
    t.ok(await made({ ...text, attachments: [half, half] }))
    t.match(await create({ ...text, attachments: [half, half, { blobId: await upload('1') }] }), {
      type: 'tooLarge',
      maxSize: 5_000,
    })
  })

  t.test('no value adds a field (promise S6)', async (t) => {
    const evil = 'x\r\nBcc: victim@example.org'
    await refused(t, { subject: evil }, ['subject'])
    await refused(t, { from: [{ name: evil, email: 'a@example.test' }] }, ['from'])
    await refused(t, { to: [{ name: null, email: evil }] }, ['to'])
    await refused(t, { messageId: [evil] }, ['messageId'])
    await refused(t, { 'header:X-A:asText': evil }, ['header:X-A:asText'])
    await refused(t, { 'header:X-A': ` ${evil}` }, ['header:X-A'])
    await refused(t, { ...text, textBody: [{ partId: 't', name: evil }] }, ['textBody/0/name'])
  })

  t.test('mailboxIds names at least one mailbox of the account (RFC 8621 4.1.1)', async (t) => {
    const other = await mailbox('boxes')
    for (const ids of [{}, { x: true }, { [other.roles['inbox']!]: true }, { ...mailboxIds, x: true }])
      await refused(t, { mailboxIds: ids }, ['mailboxIds'])
    await refused(t, { mailboxIds: { [hello.roles['inbox']!]: false } }, ['mailboxIds'])
    await refused(t, { mailboxIds: null }, ['mailboxIds'])
    const answer = await hello.call('Email/set', { create: { e: {} } })
    t.match(answer.notCreated.e, { type: 'invalidProperties', properties: ['mailboxIds'] })
  })

  t.test('keywords are stored in lower case, and the response says so (RFC 8621 4.1.1)', async (t) => {
    const created = await create({ keywords: { $Draft: true, Custom: true } })
    t.same(created.keywords, { $draft: true, custom: true })
    const [own] = (await hello.call('Email/get', { ids: [created.id], properties: ['keywords'] })).list
    t.same(own.keywords, { $draft: true, custom: true })
    t.notOk('keywords' in (await create({ keywords: { $draft: true } })))
  })

  t.test('an invalid keyword is refused (RFC 8621 4.1.1)', async (t) => {
    for (const keyword of ['', 'a b', 'a(', 'a)', 'a{', 'a]', 'a%', 'a*', 'a"', 'a\\', '\u00fc', 'x'.repeat(256)])
      await refused(t, { keywords: { [keyword]: true } }, ['keywords'])
    await refused(t, { keywords: { a: false } }, ['keywords'])
    t.ok(await made({ keywords: { 'a[b}c/d~': true, [`$${'x'.repeat(254)}`]: true } }))
  })

  t.test('too many keywords or mailboxes have their own errors (RFC 8621 4.6)', async (t) => {
    const keywords = Object.fromEntries(Array.from({ length: 101 }, (_, i) => [`k${i}`, true]))
    await refused(t, { keywords }, [], 'tooManyKeywords')
    const all = Object.fromEntries(Object.values(hello.roles).map((id) => [id, true]))
    t.ok(Object.keys(all).length > 4)
    await refused(t, { mailboxIds: all }, [], 'tooManyMailboxes')
    const four = Object.fromEntries(Object.entries(all).slice(0, 4))
    t.same((await made({ mailboxIds: four })).mailboxIds, four, 'control: as many as the session says')
  })

  t.test('a size with a blobId is ignored (RFC 8621 4.6)', async (t) => {
    const attachments = [{ blobId: await upload('four'), type: 'text/plain', size: 9_999 }]
    t.equal((await made({ ...text, attachments })).attachments[0].size, 4)
  })

  t.test('a part has only the properties of EmailBodyPart (RFC 8620 5.3)', async (t) => {
    const { bodyValues } = text
    await refused(t, { bodyValues, textBody: [{ partId: 't', nonsense: 1 }] }, ['textBody/0/nonsense'])
    await refused(t, { bodyValues, textBody: [{ partId: 't', 'header:X:asNonsense': 1 }] }, [
      'textBody/0/header:X:asNonsense',
    ])
    await refused(t, { bodyValues, textBody: [{ partId: 't', cid: 7 }] }, ['textBody/0/cid'])
  })

  t.test('a nested fault is named by its path (RFC 8621 4.6)', async (t) => {
    const inner = (part: object) => ({
      bodyValues: text.bodyValues,
      bodyStructure: {
        type: 'multipart/mixed',
        subParts: [{ partId: 't' }, { type: 'multipart/alternative', subParts: [{ partId: 't' }, part] }],
      },
    })
    const at = 'bodyStructure/subParts/1/subParts/1'
    await refused(t, inner({ partId: 't', charset: 'utf-8' }), [`${at}/charset`])
    await refused(t, inner({ partId: 't', disposition: 'a b' }), [`${at}/disposition`])
    await refused(t, inner({ partId: 't', 'header:X/Y~Z:asText': 'a\nb' }), [`${at}/header:X~1Y~0Z:asText`])
    const both = { ...inner({}), subject: 'x\r\ny' }
    t.same((await create(both)).properties, [`${at}/partId`])
  })

  t.test('a given Message-ID, Date or MIME-Version is not written twice (RFC 8621 4.6)', async (t) => {
    const fields = {
      messageId: ['own@example.test'],
      sentAt: '2020-01-01T00:00:00Z',
      'header:MIME-Version:asText': '1.0',
    }
    const once = async (email: object) => {
      const header = (await raw(email)).split('\r\n\r\n')[0]!
      for (const name of ['Message-ID', 'Date', 'MIME-Version'])
        t.equal(header.match(new RegExp(`^${name}:`, 'gim'))?.length, 1, name)
    }
    await once(text)
    await once({ ...text, ...fields })
    const root = {
      partId: 't',
      'header:Message-ID:asMessageIds': ['own@example.test'],
      'header:Date:asDate': '2020-01-01T00:00:00Z',
      'header:MIME-Version:asText': '1.0',
    }
    await once({ bodyStructure: root, bodyValues: text.bodyValues })
  })

  t.test('the message is 7-bit, without NUL, in lines that SMTP carries (pitfall 19)', async (t) => {
    const value = `\0 Gr\u00fc\u00dfe\r\n${'long '.repeat(500)}\n${'\u6771'.repeat(2_000)}`
    const attachments = [{ blobId: await upload(`\0${'y'.repeat(2_000)}\xff`), type: 'text/plain' }]
    const email = {
      subject: `\u6771 ${'word '.repeat(400)}`,
      textBody: [{ partId: 't' }],
      bodyValues: { t: { value } },
    }
    const octetsOf = await raw({ ...email, attachments })
    t.match(octetsOf, /^[\t\r\n\x20-\x7e]*$/)
    t.notOk(/[^\r]\n|\r[^\n]/.test(octetsOf))
    for (const line of octetsOf.split('\r\n')) if (line.length > 998) t.fail(`a line of ${line.length} octets`)
    t.same(values(await made(email)), [value.replaceAll('\r\n', '\n')])
  })

  t.test('no string in any property writes a separate line (promise S6)', async (t) => {
    const bad = ['\r', '\n', '\r\n', '\0', '\u2028', '\u0085', '\r\n ', '\v', '\f', '\x1c', '%0d%0a', '\u560a']
    const forms = (evil: string): object[] => [
      { subject: evil },
      { from: [{ name: evil, email: 'a@example.test' }] },
      { to: [{ name: null, email: `${evil}@example.test` }] },
      { inReplyTo: [evil] },
      { 'header:X-A:asText': evil },
      { 'header:X-A': ` ${evil}` },
      { 'header:X-A:asURLs': [`https://example.org/${evil}`] },
      { 'header:To:asGroupedAddresses': [{ name: evil, addresses: [] }] },
      { ...text, textBody: [{ partId: 't', name: evil }] },
      { ...text, textBody: [{ partId: 't', cid: evil }] },
      { ...text, textBody: [{ partId: 't', language: [evil] }] },
      { ...text, textBody: [{ partId: 't', location: evil }] },
      { ...text, textBody: [{ partId: 't', disposition: evil }] },
      { bodyStructure: { type: `text/plain; a="${evil}"`, partId: 't' }, bodyValues: text.bodyValues },
      {
        bodyStructure: { 'header:Content-Type': ` text/plain; a="${evil}"`, partId: 't' },
        bodyValues: text.bodyValues,
      },
      { bodyStructure: { 'header:X-B:asText': evil, partId: 't' }, bodyValues: text.bodyValues },
    ]
    const wrong: object[] = []
    let [written, refusals] = [0, 0]
    for (const mark of bad) {
      for (const email of forms(`x${mark}Injected: yes${mark}${mark}<b>`)) {
        const { type, blobId } = await create(email)
        if (type === 'invalidProperties') {
          refusals++
          continue
        }
        written++
        const { bytes } = (await core.download(hello.principal, hello.accountId, blobId))!
        if (/^Injected|[^\r]\n|\r[^\n]/im.test(Buffer.from(bytes).toString('latin1'))) wrong.push(email)
      }
    }
    t.same(wrong, [])
    t.ok(written > 0 && refusals > 0)
  })

  t.test('receivedAt may be given, in UTC (RFC 8621 4.1.1)', async (t) => {
    t.equal((await made({ receivedAt: '2001-02-03T04:05:06Z' })).receivedAt, '2001-02-03T04:05:06Z')
    await refused(t, { receivedAt: '2001-02-03T04:05:06+01:00' }, ['receivedAt'])
  })

  t.test('server-set properties cannot be given (RFC 8620 5.3)', async (t) => {
    for (const property of ['id', 'blobId', 'threadId', 'size', 'hasAttachment', 'preview', 'source'])
      await refused(t, { [property]: 'x' }, [property])
    await refused(t, { nonsense: 1 }, ['nonsense'])
  })

  t.test('a reply joins the thread of its parent', async (t) => {
    const id = await hello.receive(mail({ id: 'plan@example.org', subject: 'Plan' }))
    const { threadId } = (await hello.call('Email/get', { ids: [id], properties: ['threadId'] })).list[0]
    t.equal((await create({ subject: 'Re: Plan', inReplyTo: ['plan@example.org'] })).threadId, threadId)
  })

  t.test('a Bcc stays in the draft (RFC 8621 7.5)', async (t) => {
    t.match(await raw({ bcc: [{ name: null, email: 'secret@example.org' }] }), 'secret@example.org')
  })

  t.test('a message over quota is overQuota, and leaves nothing', async (t) => {
    const small = await startCore(t, engine, { mailboxStorageBytes: 1_000 })
    const box = await small.mailbox('small')
    const email = { mailboxIds: { [box.roles['drafts']!]: true }, ...text }
    t.ok((await box.call('Email/set', { create: { e: email } })).created)
    const bodyValues = { t: { value: 'x'.repeat(900) } }
    const { notCreated, oldState, newState } = await box.call('Email/set', { create: { e: { ...email, bodyValues } } })
    t.same(notCreated.e, { type: 'overQuota' })
    t.equal(newState, oldState)
  })

  t.test('uploads with a header line and bare LF are returned unchanged', async (t) => {
    const bytes = octets('not: a header\n\nbody')
    const email = await made({ ...text, attachments: [{ blobId: await upload(bytes), type: 'text/plain' }] })
    const part = await core.download(hello.principal, hello.accountId, email.attachments[0].blobId)
    t.same(Buffer.from(part!.bytes), Buffer.from(bytes))
  })
})

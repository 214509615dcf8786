import t, { type Test } from 'tap'
import type { TestMailbox } from '../support/core.ts'
import { faults, mail, startApi } from '../support/rest-api.ts'
import type { Ask } from '../support/rest-server.ts'

const DAY = 86_400_000

/** An API with a mailbox alice@example.test, and access to its queue. */
async function start(t: Test) {
  const api = await startApi(t)
  const alice = await api.mailbox('alice')
  return {
    ...api,
    alice,
    send: (body: object, more: Ask = {}) => {
      return api.ask('POST', '/v1/messages', {
        body: { from: alice.address, to: 'bob@example.org', text: 'Hi', ...body },
        ...more,
      })
    },
    /** The messages that are due, as the SMTP client claims them. */
    async queue() {
      const claimed = await api.core.claimSubmissions('test', 100, 1_000)
      return claimed.map(({ bytes, recipients, mailFrom }) => ({
        raw: Buffer.from(bytes).toString(),
        to: recipients.map(({ address }) => address),
        mailFrom,
      }))
    },
  }
}

async function countOf(mailbox: TestMailbox): Promise<number> {
  return (await mailbox.call('Email/query', { calculateTotal: true })).total
}

t.test('a message is sent, shown in the answer, and stored in Sent', async (t) => {
  const { send, queue, alice, ask } = await start(t)
  const answer = await send({
    to: ['Bob <bob@example.org>', { email: 'carol@example.org', name: 'Carol' }],
    cc: 'dan@example.org',
    bcc: ['eve@example.org'],
    reply_to: 'Help <help@example.test>',
    subject: 'Größe',
    text: 'Hello',
    html: '<p>Hello</p>',
  })
  t.equal(answer.status, 201)
  t.match(answer.body, {
    object: 'message',
    id: /^msg_/,
    mailbox_id: alice.accountId,
    thread_id: /^thr_/,
    subject: 'Größe',
    from_address: 'alice@example.test',
    to_addresses: [
      { address: 'bob@example.org', name: 'Bob' },
      { address: 'carol@example.org', name: 'Carol' },
    ],
    cc_addresses: [{ address: 'dan@example.org', name: null }],
    bcc_addresses: [{ address: 'eve@example.org', name: null }],
    attachments: null,
    source: 'api',
    status: 'queued',
    scheduled_at: null,
    tags: {},
    text: 'Hello',
    html: '<p>Hello</p>',
    created_at: '2026-01-01T00:00:00.000Z',
  })
  t.same(
    answer.body.recipients.map(({ address }: { address: string }) => address),
    ['bob@example.org', 'carol@example.org', 'dan@example.org', 'eve@example.org'],
  )
  const [sent] = await queue()
  t.same(sent?.to, ['bob@example.org', 'carol@example.org', 'dan@example.org', 'eve@example.org'])
  t.equal(sent?.mailFrom, 'alice@example.test')
  t.notMatch(sent?.raw, /eve@example.org|^bcc:/im)
  t.match(sent?.raw, /^Reply-To: Help <help@example.test>\r$/m)
  const { body } = await ask('GET', `/v1/mailboxes/${alice.accountId}/inbox/messages?folder_role=sent`)
  t.match(body.data, [{ id: answer.body.id, keywords: { $seen: true }, folder_ids: [alice.roles['sent']] }])
  t.notOk(body.data[0].keywords.$draft)
})

t.test('a message is read later with its delivery', async (t) => {
  const { send, ask, core } = await start(t)
  const { body: sent } = await send({})
  const [claimed] = await core.claimSubmissions('test', 1, 1_000)
  await core.reportAttempts([
    {
      account: claimed!.account,
      submission: claimed!.submission,
      lease: claimed!.lease,
      outcomes: [{ address: 'bob@example.org', status: 'sent', smtpReply: '250 2.0.0 taken', host: 'mx.example.org' }],
      retryAt: null,
    },
  ])
  const { status, body } = await ask('GET', `/v1/messages/${sent.id}`)
  t.equal(status, 200)
  t.match(body, {
    id: sent.id,
    status: 'delivered',
    recipients: [{ address: 'bob@example.org', status: 'delivered', smtp_reply: '250 2.0.0 taken' }],
  })
})

t.test('an inbound message is read as inbound', async (t) => {
  const { ask, alice } = await start(t)
  const id = await alice.receive(mail())
  const { body } = await ask('GET', `/v1/messages/${id}`)
  t.match(body, {
    id,
    source: 'inbound',
    status: 'delivered',
    from_address: 'jane@example.org',
    recipients: null,
    html: null,
  })
  t.match(body.text, /^Hello there\./)
})

t.test('the sender is named in every supported way', async (t) => {
  const { ask, send, mailbox, domainId } = await start(t)
  const { body: named } = await ask('POST', '/v1/mailboxes', {
    body: { domain_id: domainId, address: 'support', display_name: 'Support' },
  })
  const from = async (sender: object) => {
    const { status, body } = await send({ from: undefined, ...sender })
    t.equal(status, 201, JSON.stringify(sender))
    const { body: full } = await ask('GET', `/v1/mailboxes/${body.mailbox_id}/inbox/messages/${body.id}`)
    return full.from[0]
  }
  const plain = { name: 'Support', email: 'support@example.test' }
  t.same(await from({ from: 'support@example.test' }), plain)
  t.same(await from({ from: 'SUPPORT@Example.Test' }), { ...plain, email: 'SUPPORT@example.test' })
  t.same(await from({ from: named.id }), plain)
  t.same(await from({ mailbox_id: named.id }), plain)
  t.same(await from({ mailbox: named.id }), plain)
  t.same(await from({ mailbox_id: 'support@example.test' }), plain)
  t.same(await from({ from: 'Sales <support@example.test>' }), { ...plain, name: 'Sales' })
  t.same(await from({ from: { email: 'support@example.test', name: 'Sales' } }), { ...plain, name: 'Sales' })
  t.same(await from({ from: 'support@example.test', mailbox_id: named.id }), plain)
  t.same(await from({ from: 'support+orders@example.test' }), { ...plain, email: 'support+orders@example.test' })
  await mailbox('nameless')
  t.same(await from({ from: 'nameless@example.test' }), { name: null, email: 'nameless@example.test' })
})

t.test('a sender that the mailbox does not own is refused, and nothing is sent', async (t) => {
  const { send, queue, mailbox, stranger, key, alice } = await start(t)
  const bob = await mailbox('bob')
  const { mailboxId } = await stranger()
  const of = async (sender: object) => faults(await send({ from: undefined, ...sender }))
  t.same(await of({}), [['from', 'required']])
  t.same(await of({ from: 'nobody@example.test' }), [['from', 'unknown_reference']])
  t.same(await of({ from: 'stranger@other.test' }), [['from', 'unknown_reference']])
  t.same(await of({ from: mailboxId }), [['from', 'unknown_reference']])
  t.same(await of({ mailbox_id: mailboxId }), [['mailbox_id', 'unknown_reference']])
  t.same(await of({ from: 'nothing' }), [['from', 'unknown_reference']])
  t.same(await of({ from: 'a b@' }), [['from', 'invalid_format']])
  t.same(await of({ from: { email: 'alice' } }), [['from', 'invalid_format']])
  t.same(await of({ from: 7 }), [['from', 'invalid_type']])
  t.same(await of({ from: 'bob@example.test', mailbox_id: alice.accountId }), [['from', 'not_allowed']])
  t.same(await of({ from: bob.accountId, mailbox_id: alice.accountId }), [['from', 'not_allowed']])
  const restricted = await key(['messages:write'], { mailboxIds: [alice.accountId] })
  const denied = { status: 403, body: { error: { type: 'authorization_error', code: 'mailbox_access_denied' } } }
  t.match(await send({ from: 'bob@example.test' }, { key: restricted }), denied)
  t.match(await send({ from: bob.accountId }, { key: restricted }), denied)
  t.same(await queue(), [])
  t.equal((await send({}, { key: restricted })).status, 201)
})

t.test('invalid fields are refused by name, and nothing is stored', async (t) => {
  const { send, queue, alice } = await start(t)
  const cases: [object, string, string][] = [
    [{ to: undefined }, 'to', 'required'],
    [{ to: [] }, 'to', 'required'],
    [{ to: 'nobody' }, 'to', 'invalid_format'],
    [{ to: ['a@example.org', 'b@'] }, 'to[1]', 'invalid_format'],
    [{ to: [{ name: 'x' }] }, 'to[0].email', 'required'],
    [{ cc: 'a@example.org, b@example.org' }, 'cc', 'invalid_format'],
    [{ bcc: { email: 'x' } }, 'bcc', 'invalid_format'],
    [{ to: { email: 'a@example.org', name: 'A\r\nBcc: x@example.org' } }, 'to', 'invalid_format'],
    [{ to: Array(51).fill('a@example.org') }, 'to', 'too_long'],
    [{ to: Array(30).fill('a@example.org'), cc: Array(21).fill('a@example.org') }, 'to', 'too_long'],
    [{ reply_to: 'x' }, 'reply_to', 'invalid_format'],
    [{ subject: 'a\r\nBcc: x@example.org' }, 'subject', 'invalid_format'],
    [{ subject: 'x'.repeat(999) }, 'subject', 'too_long'],
    [{ text: undefined }, 'text', 'required'],
    [{ text: '', html: '' }, 'text', 'required'],
    [{ text: 7 }, 'text', 'invalid_type'],
    [{ scheduled_at: 'tomorrow' }, 'scheduled_at', 'invalid_format'],
    [{ scheduled_at: '2025-12-31T23:59:59Z' }, 'scheduled_at', 'must_be_future'],
    [{ scheduled_at: '2026-02-01T00:00:00Z' }, 'scheduled_at', 'out_of_range'],
    [{ in_reply_to: 'two words' }, 'in_reply_to', 'invalid_format'],
    [{ references: ['<a@b>', '<c d>'] }, 'references', 'invalid_format'],
    [{ thread_id: 'nothing' }, 'thread_id', 'unknown_reference'],
    [{ require_tls: 'yes' }, 'require_tls', 'invalid_type'],
    [{ tags: { 'a b': 'x' } }, 'tags.a b', 'invalid_format'],
    [{ tags: { a: 'x'.repeat(257) } }, 'tags.a', 'too_long'],
    [{ tags: { a: 7 } }, 'tags.a', 'invalid_type'],
    [{ headers: { From: 'x@example.org' } }, 'headers.From', 'not_allowed'],
    [{ headers: { 'content-type': 'text/html' } }, 'headers.content-type', 'not_allowed'],
    [{ headers: { 'X-A': 'a\r\nBcc: x@example.org' } }, 'headers.X-A', 'invalid_format'],
    [{ headers: { 'X-A\r\nBcc': 'x@example.org' } }, 'headers.X-A\r\nBcc', 'invalid_format'],
    [{ headers: { 'X A': 'b' } }, 'headers.X A', 'invalid_format'],
    [{ headers: { 'X-A': 'a', 'x-a': 'b' } }, 'headers.x-a', 'not_allowed'],
    [{ headers: { 'X-A': 7 } }, 'headers.X-A', 'invalid_type'],
    [{ attachments: [{ content: 'AA==' }] }, 'attachments[0].filename', 'required'],
    [{ attachments: [{ filename: 'a' }] }, 'attachments[0].content', 'required'],
    [{ attachments: [{ filename: 'a', content: '%%%' }] }, 'attachments[0].content', 'invalid_format'],
    [{ attachments: [{ filename: 'a', content: 'A' }] }, 'attachments[0].content', 'invalid_format'],
    [{ attachments: [{ filename: 'a', content: 'AA==', blob_id: 'x' }] }, 'attachments[0].content', 'required'],
    [{ attachments: [{ filename: 'a', url: 'https://example.org/a' }] }, 'attachments[0].url', 'not_allowed'],
    [{ attachments: [{ filename: 'a', blob_id: 'nothing' }] }, 'attachments[0].blob_id', 'unknown_reference'],
    [{ attachments: [{ filename: 'a', blob_id: 'a b' }] }, 'attachments[0].blob_id', 'unknown_reference'],
    [{ attachments: [{ filename: 'a\nb', content: 'AA==' }] }, 'attachments[0].filename', 'invalid_format'],
    [
      { attachments: [{ filename: 'a', content: 'AA==', content_type: 'text' }] },
      'attachments[0].content_type',
      'invalid_format',
    ],
    [
      { attachments: [{ filename: 'a', content: 'AA==', content_id: '<a b>' }] },
      'attachments[0].content_id',
      'invalid_format',
    ],
    [{ attachments: Array(51).fill({ filename: 'a', content: 'AA==' }) }, 'attachments', 'too_long'],
    [{ save_to_sent: 'no' }, 'save_to_sent', 'invalid_type'],
  ]
  for (const [body, field, code] of cases)
    t.same(faults(await send(body)), [[field, code]], JSON.stringify(body).slice(0, 90))
  t.same(await queue(), [])
  t.equal(await countOf(alice), 0)
})

t.test('all faults are reported at once', async (t) => {
  const { send } = await start(t)
  t.same(
    faults(await send({ to: 'x', cc: 'y', headers: { From: 'a' } })).map(([field]) => field),
    ['to', 'cc', 'headers.From'],
  )
})

t.test('an HTML message gets a plain text with its links', async (t) => {
  const { send } = await start(t)
  const html =
    '<head><title>no</title></head><h1>Reset</h1><p>Click <a href="https://example.test/r?a=1&amp;b=2">here</a>,\n or <a href="mailto:help@example.test">help@example.test</a>.</p><a href="javascript:x()">evil</a>'
  const { status, body } = await send({ text: undefined, html })
  t.equal(status, 201)
  t.equal(body.html, html)
  t.equal(body.text.trim(), 'Reset\n\nClick here (https://example.test/r?a=1&b=2),\nor help@example.test.\nevil')
})

t.test('attachments are sent with the message, by content and by blob', async (t) => {
  const { send, alice, ask, queue } = await start(t)
  const first = await send({
    html: '<img src="cid:logo">',
    attachments: [
      { filename: 'data.bin', content: 'AAEC\nAw==' },
      { filename: 'logo.png', content: 'iVBORw==', content_id: 'logo' },
      { filename: 'notiz.txt', content: Buffer.from('Grüße').toString('base64'), content_type: 'text/plain' },
    ],
  })
  t.equal(first.status, 201)
  const shown = first.body.attachments.map((attachment: { filename: string; content_type: string; size: number }) => {
    return [attachment.filename, attachment.content_type, attachment.size]
  })
  t.same(
    new Set(shown),
    new Set([
      ['data.bin', 'application/octet-stream', 4],
      ['logo.png', 'image/png', 4],
      ['notiz.txt', 'text/plain', 7],
    ]),
  )
  const logo = first.body.attachments.find(({ filename }: { filename: string }) => filename === 'logo.png')
  t.match(logo, { content_id: 'logo', disposition: 'inline' })
  t.equal(Buffer.from((await ask('GET', logo.download_path)).text).length > 0, true)
  const again = await send({ attachments: [{ filename: 'again.png', blob_id: logo.blob_id }] })
  t.match(again, {
    status: 201,
    body: { attachments: [{ filename: 'again.png', content_type: 'image/png', size: 4 }] },
  })
  const [sent] = await queue()
  t.match(sent?.raw, /Content-ID: <logo>/i)
  const bob = await (await start(t)).alice.receive(mail())
  t.ok(bob && alice)
})

t.test('a blob of another mailbox cannot be sent', async (t) => {
  const { send, mailbox, ask, alice } = await start(t)
  const bob = await mailbox('bob')
  await bob.receive(mail({ 'Content-Type': 'application/pdf', 'Content-Disposition': 'attachment' }))
  const { body } = await ask('GET', `/v1/mailboxes/${bob.accountId}/inbox/messages`)
  const { blob_id } = body.data[0].attachments[0]
  const attachments = [
    { filename: 'ok', content: 'AA==' },
    { filename: 'stolen', blob_id },
  ]
  t.same(faults(await send({ attachments })), [['attachments[1].blob_id', 'unknown_reference']])
  t.equal(await countOf(alice), 0)
})

t.test("the client's header fields are sent with the message", async (t) => {
  const { send, queue } = await start(t)
  const headers = { 'X-Order': 'Nr. 7 für Jürgen', 'List-Unsubscribe': '<https://example.test/u>', Precedence: 'bulk' }
  t.equal((await send({ headers })).status, 201)
  const [sent] = await queue()
  t.match(sent?.raw, /^List-Unsubscribe: <https:\/\/example.test\/u>\r$/m)
  t.match(sent?.raw, /^Precedence: bulk\r$/m)
  t.match(sent?.raw, /^X-Order: .*=\?utf-8\?/im)
  t.notMatch(sent?.raw.split('\r\n\r\n')[0], /[^\x00-\x7f]/)
})

t.test('tags are returned, from both forms', async (t) => {
  const { send, ask } = await start(t)
  const tags = { campaign: 'New year = 100 %', 'order-id': '7', empty: '', umlaut: 'Grüße 👋', __proto__x: 'x' }
  const { body } = await send({ tags })
  t.same(body.tags, tags)
  t.same((await ask('GET', `/v1/messages/${body.id}`)).body.tags, tags)
  const list = [{ name: 'a', value: 'b c' }]
  t.same((await send({ tags: list })).body.tags, { a: 'b c' })
  const many = Object.fromEntries(Array.from({ length: 20 }, (_, i) => [`tag${i}`, 'ü'.repeat(256)]))
  t.same((await send({ tags: many })).body.tags, many)
  t.equal((await send({ tags: { ...many, more: 'x' } })).status, 422)
})

t.test('tags are not sent to recipients', async (t) => {
  const { send, queue } = await start(t)
  await send({ tags: { segment: 'vip-customers' } })
  const [sent] = await queue()
  t.match(sent?.raw, /^To: <?bob@example\.org>?\r$/m, 'control: it was sent')
  t.notMatch(sent?.raw, /segment|vip-customers|tags/i)
})

t.test('an answer refers to the message that it answers', async (t) => {
  const { send, queue, alice, ask } = await start(t)
  const id = await alice.receive(mail({ Subject: 'Plan', 'Message-ID': '<2@x>', References: '<1@x>' }))
  const { body: inbound } = await ask('GET', `/v1/messages/${id}`)
  const byThread = await send({ subject: 'Re: Plan', thread_id: inbound.thread_id })
  t.equal(byThread.body.thread_id, inbound.thread_id)
  await send({ in_reply_to: '2@x', references: ['<0@x>', '2@x'] })
  await send({ in_reply_to: '<2@x>' })
  const fields = (await queue()).map(({ raw }) => [
    /^In-Reply-To: (.*)\r$/m.exec(raw)?.[1],
    /^References: (.*)\r$/m.exec(raw)?.[1],
  ])
  t.same(fields, [
    ['<2@x>', '<1@x> <2@x>'],
    ['<2@x>', '<0@x> <2@x>'],
    ['<2@x>', '<2@x>'],
  ])
})

t.test('a thread of another mailbox cannot be answered', async (t) => {
  const { send, mailbox, ask } = await start(t)
  const id = await (await mailbox('bob')).receive(mail())
  const { body } = await ask('GET', `/v1/messages/${id}`)
  t.same(faults(await send({ thread_id: body.thread_id })), [['thread_id', 'unknown_reference']])
})

t.test('a scheduled message waits until its time', async (t) => {
  const { send, queue, ask, clock } = await start(t)
  const { status, body } = await send({ scheduled_at: '2026-01-02T01:00:00.500+01:00' })
  t.equal(status, 201)
  t.match(body, { status: 'scheduled', scheduled_at: '2026-01-02T00:00:01.000Z' })
  t.same(await queue(), [])
  t.match((await ask('GET', `/v1/messages/${body.id}`)).body, { status: 'scheduled', scheduled_at: body.scheduled_at })
  clock.advance(DAY + 1_000)
  t.equal((await queue()).length, 1)
})

t.test('a message that requires TLS is queued so (RFC 8689), at once or scheduled', async (t) => {
  const { send, core, clock } = await start(t)
  t.equal((await send({ require_tls: true, cc: 'carol@example.org' })).status, 201)
  const [now] = await core.claimSubmissions('test', 100, 1_000)
  t.match(now?.parameters, { REQUIRETLS: null })
  t.same(
    now?.recipients.map(({ address }) => address),
    ['bob@example.org', 'carol@example.org'],
  )
  await send({ require_tls: true, scheduled_at: '2026-01-02T00:00:00.000Z', to: 'dora@example.net' })
  clock.advance(2 * DAY)
  const later = await core.claimSubmissions('test', 100, 1_000)
  t.ok(
    later.some(
      ({ recipients, parameters }) => recipients[0]?.address === 'dora@example.net' && 'REQUIRETLS' in parameters,
    ),
  )
})

t.test('a scheduled message is cancelled once', async (t) => {
  const { send, queue, ask, clock } = await start(t)
  const { body } = await send({ scheduled_at: '2026-01-02T00:00:00.000Z' })
  const answer = await ask('POST', `/v1/messages/${body.id}/cancel`)
  t.match(answer, { status: 200, body: { id: body.id, status: 'cancelled', scheduled_at: null } })
  t.match(await ask('POST', `/v1/messages/${body.id}/cancel`), {
    status: 409,
    body: { error: { type: 'conflict', code: 'invalid_state' } },
  })
  clock.advance(2 * DAY)
  t.same(await queue(), [])
})

t.test('a message that is not scheduled cannot be cancelled', async (t) => {
  const { send, ask, alice } = await start(t)
  const { body } = await send({})
  t.equal((await ask('POST', `/v1/messages/${body.id}/cancel`)).status, 409)
  const inbound = await alice.receive(mail())
  t.equal((await ask('POST', `/v1/messages/${inbound}/cancel`)).status, 409)
  t.equal((await ask('POST', '/v1/messages/nothing/cancel')).status, 404)
})

t.test('a message with save_to_sent=false is sent and not stored', async (t) => {
  const { send, queue, alice } = await start(t)
  const { status, body } = await send({ save_to_sent: false, subject: 'Gone' })
  t.equal(status, 201)
  t.match(body, { object: 'message', subject: 'Gone', text: 'Hi' })
  t.equal(await countOf(alice), 0)
  t.equal((await queue()).length, 1)
})

t.test('a dry run shows the message and has no effect', async (t) => {
  const { send, queue, alice } = await start(t)
  const { status, body } = await send({
    to: 'Bob <bob@example.org>',
    text: undefined,
    html: '<b>Hi</b>',
    headers: { 'X-A': 'b' },
    tags: { a: 'b' },
    attachments: [{ filename: 'a.txt', content: 'AA==' }],
    dry_run: true,
  })
  t.equal(status, 200)
  t.match(body, {
    object: 'message_preview',
    mailbox_id: alice.accountId,
    from: 'alice@example.test',
    to: ['Bob <bob@example.org>'],
    text: 'Hi',
    html: '<b>Hi</b>',
    headers: { 'X-A': 'b' },
    tags: { a: 'b' },
    attachments: [{ filename: 'a.txt', content_type: 'text/plain', size: 1 }],
    scheduled_at: null,
  })
  t.equal(await countOf(alice), 0)
  t.same(await queue(), [])
  t.same(faults(await send({ dry_run: true, from: 'nobody@example.test' })), [['from', 'unknown_reference']])
})

t.test('a message sent twice with the same key is sent once', async (t) => {
  const { send, queue } = await start(t)
  const headers = { 'Idempotency-Key': 'order-7' }
  const first = await send({}, { headers })
  const second = await send({}, { headers })
  t.same(second.body, first.body)
  t.equal((await queue()).length, 1)
})

t.test('a body of more than 40 MB is refused, one of 20 MB is accepted', async (t) => {
  const { send, server } = await start(t)
  const content = 'A'.repeat(20_000_000)
  t.match(await send({ attachments: [{ filename: 'big', content }] }), {
    status: 201,
    body: { attachments: [{ size: 15_000_000 }] },
  })
  const headers = { 'Content-Type': 'application/json' }
  const raw = `{"text":"${'x'.repeat(42_000_000)}"}`
  t.equal((await server.ask('POST', '/v1/messages', { raw, headers })).status, 413)
})

t.test('an attachment of more than 25 MB is refused', async (t) => {
  const { send } = await start(t)
  const content = 'A'.repeat(36_000_000)
  t.same(faults(await send({ attachments: [{ filename: 'big', content }] })), [['attachments[0].content', 'too_long']])
})

t.test('messages are closed to other organizations, restricted keys and missing scopes', async (t) => {
  const { send, ask, stranger, key, mailbox, alice } = await start(t)
  const { body } = await send({ scheduled_at: '2026-01-02T00:00:00Z' })
  const bob = await mailbox('bob')
  const { key: foreign } = await stranger()
  const restricted = await key(['messages:read', 'messages:write'], { mailboxIds: [bob.accountId] })
  const reader = await key(['messages:read', 'threads:read'])
  const writer = await key(['messages:write'])
  const at = async (method: string, path: string, used: string) => (await ask(method, path, { key: used })).status
  for (const [method, path] of [
    ['GET', `/v1/messages/${body.id}`],
    ['POST', `/v1/messages/${body.id}/cancel`],
  ] as const) {
    t.equal(await at(method, path, foreign), 404)
    t.equal(await at(method, path, restricted), 403)
    t.equal(await at(method, path.replace(body.id, 'nothing'), restricted), 404)
  }
  t.equal(await at('GET', `/v1/messages/${body.id}`, writer), 403)
  t.equal(await at('POST', `/v1/messages/${body.id}/cancel`, reader), 403)
  t.equal((await send({}, { key: reader })).status, 403)
  t.equal((await send({}, { key: writer })).status, 201)
  t.ok(alice)
})

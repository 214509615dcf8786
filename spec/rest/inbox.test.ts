import t from 'tap'
import type { TestMailbox } from '../support/core.ts'
import { faults, mail, startApi } from '../support/rest-api.ts'

const MINUTE = 60_000
const BASE = Date.UTC(2026, 0, 1)

/** Delivers messages with these subjects, a minute apart, each in its own thread; their ids in that order. */
async function deliver(mailbox: TestMailbox, ...subjects: string[]): Promise<string[]> {
  const ids: string[] = []
  for (const [i, subject] of subjects.entries()) {
    ids.push(await mailbox.receive(mail({ Subject: subject, 'Message-ID': `<${subject}@x>` }), BASE + i * MINUTE))
  }
  return ids
}

const subjects = (body: { data: { subject: string }[] }) => body.data.map(({ subject }) => subject)

t.test('a message is shown in full', async (t) => {
  const { ask, mailbox } = await startApi(t)
  const alice = await mailbox('alice')
  const boundary = 'Content-Type: multipart/mixed; boundary=b'
  const raw = `From: "Jane Doe" <jane@example.org>
To: alice@example.test
Reply-To: answers@example.org
Subject: =?utf-8?q?Gr=C3=BC=C3=9Fe?=
Message-ID: <1@example.org>
References: <0@example.org>
${boundary}

--b
Content-Type: text/plain; charset=utf-8

Hello Alice
--b
Content-Type: application/pdf; name="a b.pdf"
Content-Disposition: attachment
Content-Transfer-Encoding: base64

AAECAw==
--b--
`
  const id = await alice.receive(raw)
  const { status, body } = await ask('GET', `/v1/mailboxes/${alice.accountId}/inbox/messages`)
  t.equal(status, 200)
  t.match(body, { object: 'inbox_messages', mailbox_id: alice.accountId, address: 'alice@example.test' })
  t.same(body.pagination, { position: 0, limit: 50, total: 1, has_more: false, next_position: null })
  const [message] = body.data
  t.match(message, {
    object: 'inbox_message_full',
    id,
    thread_id: /^thr_/,
    mailbox_id: alice.accountId,
    address: 'alice@example.test',
    folder_ids: [alice.roles['inbox']],
    keywords: {},
    from: [{ name: 'Jane Doe', email: 'jane@example.org' }],
    to: [{ name: null, email: 'alice@example.test' }],
    cc: null,
    bcc: null,
    reply_to: [{ name: null, email: 'answers@example.org' }],
    message_id: ['1@example.org'],
    in_reply_to: null,
    references: ['0@example.org'],
    subject: 'Grüße',
    received_at: '2026-01-01T00:00:00.000Z',
    preview: 'Hello Alice',
    has_attachment: true,
  })
  t.equal(message.size, Buffer.byteLength(raw.replaceAll('\n', '\r\n')))
  const [text] = message.text_body
  t.equal(text.type, 'text/plain')
  t.match(message.body_values[text.part_id], { value: /^Hello Alice/, is_encoding_problem: false })
  const [attachment] = message.attachments
  t.match(attachment, { name: 'a b.pdf', content_type: 'application/pdf', size: 4, blob_id: /^blb_/ })
  t.equal(
    attachment.download_path,
    `/v1/mailboxes/${alice.accountId}/inbox/attachments?blob_id=${attachment.blob_id}&name=a%20b.pdf`,
  )
  t.same((await ask('GET', `/v1/mailboxes/${alice.accountId}/inbox/messages/${id}`)).body, message)
})

t.test('a message shows the authentication of its sender; other mail has none', async (t) => {
  const { ask, mailbox, core } = await startApi(t)
  const alice = await mailbox('alice')
  const other = await alice.receive(mail({ Subject: 'other' }))
  const authentication = {
    spf: { result: 'pass', identity: 'mailfrom', domain: 'example.org' },
    dkim: [{ result: 'pass', domain: 'example.org', selector: 's1', algorithm: 'rsa-sha256', aligned: true }],
    dmarc: { result: 'pass', domain: 'example.org', policy: 'reject', disposition: 'none' },
    arc: { result: 'none', domain: null },
    iprev: { result: 'pass', name: 'mx.example.org' },
  } as const
  const recipients = [{ account: alice.account, address: alice.address }]
  const bytes = Buffer.from(mail({ Subject: 'known' }))
  const [[stored] = []] = await core.ingest([
    { bytes, recipients, receivedAt: BASE, mailFrom: 'a@example.org', verdict: { authentication } },
  ])
  const show = async (id: string) =>
    (await ask('GET', `/v1/mailboxes/${alice.accountId}/inbox/messages/${id}`)).body.authentication
  t.same(await show((stored as { emailId: string }).emailId), {
    spf: { result: 'pass', domain: 'example.org' },
    dkim: [{ result: 'pass', domain: 'example.org', selector: 's1', aligned: true }],
    dmarc: authentication.dmarc,
    arc: authentication.arc,
    iprev: authentication.iprev,
  })
  t.equal(await show(other), null)
})

t.test('a message shows why it is in Junk: its score, the reasons and the delivery trace', async (t) => {
  const { ask, mailbox, core } = await startApi(t)
  const alice = await mailbox('alice')
  const outside = {
    score: 9.5,
    engine: 'rspamd',
    symbols: [
      { name: 'FUZZY_PROB', score: 9, description: 'Fuzzy hash matched', detail: '1:abc' },
      { name: 'MIME_HTML_ONLY', score: 0.5, description: 'HTML only' },
    ],
  } as const
  const recipients = [{ account: alice.account, address: alice.address }]
  const show = async (verdict: object) => {
    const bytes = Buffer.from(mail({ Subject: 'judged' }))
    const [[stored] = []] = await core.ingest([
      { bytes, recipients, receivedAt: BASE, mailFrom: 'a@example.org', verdict },
    ])
    const { emailId } = stored as { emailId: string }
    return (await ask('GET', `/v1/mailboxes/${alice.accountId}/inbox/messages/${emailId}`)).body
  }
  const junk = await show({ outside })
  t.same(junk.folder_ids, [alice.roles['junk']])
  t.same(junk.spam_verdict, {
    score: 9.5,
    threshold: 6,
    engine: 'rspamd',
    symbols: [outside.symbols[0], { ...outside.symbols[1], detail: null }],
  })
  t.match(junk.delivery_trace[0], { by: 'spam', name: null, text: /9\.5 points.*6.*it is junk/ })
  const wanted = await show({ outside: { ...outside, score: 5.99 } })
  t.same(wanted.folder_ids, [alice.roles['inbox']])
  t.equal(wanted.spam_verdict.score, 5.99)
  const own = await alice.receive(mail({ Subject: 'not judged' }))
  t.equal((await ask('GET', `/v1/mailboxes/${alice.accountId}/inbox/messages/${own}`)).body.spam_verdict, null)
})

t.test('a list with body=false has no body values', async (t) => {
  const { ask, mailbox } = await startApi(t)
  const alice = await mailbox('alice')
  await deliver(alice, 'one')
  const { body } = await ask('GET', `/v1/mailboxes/${alice.accountId}/inbox/messages?body=false`)
  t.same(body.data[0].body_values, {})
  t.equal(body.data[0].text_body.length, 1)
})

t.test('a repeated list shows changes, and each message as it is read alone', async (t) => {
  const { ask, mailbox } = await startApi(t)
  const alice = await mailbox('alice')
  const path = `/v1/mailboxes/${alice.accountId}/inbox/messages`
  const [first, second] = await deliver(alice, 'one', 'two')
  const single = async (id: string) => (await ask('GET', `${path}/${id}`)).body
  t.same((await ask('GET', path)).body.data, [await single(second!), await single(first!)])
  await ask('PATCH', `${path}/${first}`, { body: { read: true, starred: true } })
  await ask('POST', `${path}/${second}/move`, { body: { target_role: 'archive' } })
  const [third] = await deliver(alice, 'three')
  const { data } = (await ask('GET', `${path}?limit=3`)).body
  t.match(
    data.find(({ id }: { id: string }) => id === first),
    { subject: 'one', keywords: { $seen: true, $flagged: true } },
  )
  t.same(data.find(({ id }: { id: string }) => id === second).folder_ids, [alice.roles['archive']])
  for (const message of data) t.same(message, await single(message.id))
  t.same(data.map(({ id }: { id: string }) => id).toSorted(), [first, second, third].toSorted())
  const bare = (await ask('GET', `${path}?body=false`)).body.data
  t.same(
    bare.map(({ body_values }: { body_values: object }) => body_values),
    [{}, {}, {}],
  )
})

t.test('messages are listed newest first, by position', async (t) => {
  const { ask, mailbox } = await startApi(t)
  const alice = await mailbox('alice')
  await deliver(alice, 'a', 'b', 'c', 'd', 'e')
  const list = async (query: string) =>
    (await ask('GET', `/v1/mailboxes/${alice.accountId}/inbox/messages?${query}`)).body
  const first = await list('limit=2')
  t.same(subjects(first), ['e', 'd'])
  t.same(first.pagination, { position: 0, limit: 2, total: 5, has_more: true, next_position: 2 })
  const last = await list('limit=2&position=4')
  t.same(subjects(last), ['a'])
  t.same(last.pagination, { position: 4, limit: 2, total: 5, has_more: false, next_position: null })
  const beyond = await list('position=50')
  t.same(beyond.data, [])
  t.same(beyond.pagination, { position: 50, limit: 50, total: 5, has_more: false, next_position: null })
})

t.test('without a folder, junk and trash are left out', async (t) => {
  const { ask, mailbox } = await startApi(t)
  const alice = await mailbox('alice')
  const [a, b, c] = await deliver(alice, 'a', 'b', 'c', 'd')
  const move = async (id: string, role: string) => {
    await ask('POST', `/v1/mailboxes/${alice.accountId}/inbox/messages/${id}/move`, { body: { target_role: role } })
  }
  await move(a!, 'junk')
  await move(b!, 'trash')
  await move(c!, 'archive')
  const list = async (query: string) =>
    subjects((await ask('GET', `/v1/mailboxes/${alice.accountId}/inbox/messages?${query}`)).body)
  t.same(await list(''), ['d', 'c'])
  t.same(await list('folder_role=junk'), ['a'])
  t.same(await list('folder_role=inbox'), ['d'])
  t.same(await list(`folder_id=${alice.roles['trash']}`), ['b'])
})

t.test('filters narrow each other down', async (t) => {
  const { ask, mailbox } = await startApi(t)
  const alice = await mailbox('alice')
  const [a, b] = await deliver(alice, 'apple', 'banana', 'cherry')
  const path = `/v1/mailboxes/${alice.accountId}/inbox/messages`
  await ask('PATCH', `${path}/${a}`, { body: { read: true, starred: true } })
  await ask('PATCH', `${path}/${b}`, { body: { read: true } })
  const list = async (query: string) => subjects((await ask('GET', `${path}?${query}`)).body)
  t.same(await list('has_keyword=$seen'), ['banana', 'apple'])
  t.same(await list('not_keyword=$seen'), ['cherry'])
  t.same(await list('has_keyword=$seen&not_keyword=$flagged'), ['banana'])
  t.same(await list('search_text=cherry'), ['cherry'])
  t.same(await list('search_text=jane&has_keyword=$flagged'), ['apple'])
  t.same(await list('search_text=cherry&has_keyword=$seen'), [])
})

t.test('an invalid query is refused', async (t) => {
  const { ask, mailbox } = await startApi(t)
  const alice = await mailbox('alice')
  const path = `/v1/mailboxes/${alice.accountId}/inbox/messages`
  const cases: [string, string, string][] = [
    ['position=-1', 'position', 'out_of_range'],
    ['position=x', 'position', 'invalid_type'],
    ['limit=0', 'limit', 'out_of_range'],
    ['limit=101', 'limit', 'out_of_range'],
    ['folder_role=attic', 'folder_role', 'not_allowed'],
    [`folder_role=inbox&folder_id=${alice.roles['inbox']}`, 'folder_id', 'not_allowed'],
    ['search_text=', 'search_text', 'too_short'],
    ['has_keyword=a%20b', 'has_keyword', 'invalid_format'],
    ['body=maybe', 'body', 'invalid_type'],
  ]
  for (const [query, field, code] of cases) t.same(faults(await ask('GET', `${path}?${query}`)), [[field, code]], query)
  t.equal((await ask('GET', `${path}?folder_id=nothing`)).status, 404)
})

t.test('keywords are set and removed', async (t) => {
  const { ask, mailbox } = await startApi(t)
  const alice = await mailbox('alice')
  const [id] = await deliver(alice, 'one')
  const path = `/v1/mailboxes/${alice.accountId}/inbox/messages/${id}`
  const keywords = async () => (await ask('GET', path)).body.keywords
  const answer = await ask('PATCH', path, { body: { read: true, starred: true } })
  t.match(answer, { status: 200 })
  t.same(answer.body, {
    object: 'inbox_message_action',
    mailbox_id: alice.accountId,
    address: 'alice@example.test',
    message_id: id,
    ok: true,
  })
  t.same(await keywords(), { $seen: true, $flagged: true })
  await ask('PATCH', path, { body: { read: false } })
  t.same(await keywords(), { $flagged: true })
  t.equal((await ask('PATCH', path, { body: { read: false } })).status, 200)
  t.same(faults(await ask('PATCH', path, { body: {} })), [[null, 'required']])
  t.same(faults(await ask('PATCH', path, { body: { read: 'yes' } })), [['read', 'invalid_type']])
})

t.test('a message is moved, out of every other folder', async (t) => {
  const { ask, mailbox } = await startApi(t)
  const alice = await mailbox('alice')
  const [id] = await deliver(alice, 'one')
  const path = `/v1/mailboxes/${alice.accountId}/inbox/messages/${id}`
  const made = await alice.call('Mailbox/set', { create: { p: { name: 'Projects' } } })
  const folder = made.created.p.id
  t.match(await ask('POST', `${path}/move`, { body: { target_folder_id: folder } }), {
    status: 200,
    body: { ok: true },
  })
  t.same((await ask('GET', path)).body.folder_ids, [folder])
  for (const role of ['inbox', 'archive', 'trash']) {
    await ask('POST', `${path}/move`, { body: { target_role: role } })
    t.same((await ask('GET', path)).body.folder_ids, [alice.roles[role]], role)
  }
})

t.test('moving to and out of junk trains the spam filter', async (t) => {
  const { ask, mailbox } = await startApi(t)
  const alice = await mailbox('alice')
  const [id] = await deliver(alice, 'one')
  const path = `/v1/mailboxes/${alice.accountId}/inbox/messages/${id}`
  const after = async (target_role: string) => {
    await ask('POST', `${path}/move`, { body: { target_role } })
    return (await ask('GET', path)).body.keywords
  }
  t.same(await after('junk'), { $junk: true })
  t.same(await after('trash'), { $junk: true }, 'moving spam to trash does not mark it as wanted')
  t.same(await after('junk'), { $junk: true })
  t.same(await after('inbox'), { $notjunk: true })
  t.same(await after('archive'), { $notjunk: true })
})

t.test('a move without a valid target is refused', async (t) => {
  const { ask, mailbox, stranger } = await startApi(t)
  const alice = await mailbox('alice')
  const bob = await mailbox('bob')
  const [id] = await deliver(alice, 'one')
  const path = `/v1/mailboxes/${alice.accountId}/inbox/messages/${id}/move`
  t.same(faults(await ask('POST', path, { body: {} })), [['target_role', 'required']])
  const both = { target_role: 'inbox', target_folder_id: alice.roles['inbox'] }
  t.same(faults(await ask('POST', path, { body: both })), [['target_role', 'required']])
  for (const role of ['sent', 'drafts', 'attic']) {
    t.same(faults(await ask('POST', path, { body: { target_role: role } })), [['target_role', 'not_allowed']], role)
  }
  await stranger()
  for (const folder of ['nothing', bob.roles['inbox'], 'a b']) {
    t.equal((await ask('POST', path, { body: { target_folder_id: folder } })).status, 404)
  }
  t.same((await ask('GET', path.replace(/\/move$/, ''))).body.folder_ids, [alice.roles['inbox']])
})

t.test('only a message in trash or junk can be deleted', async (t) => {
  const { ask, mailbox } = await startApi(t)
  const alice = await mailbox('alice')
  const ids = await deliver(alice, 'one', 'two')
  for (const [i, role] of ['trash', 'junk'].entries()) {
    const path = `/v1/mailboxes/${alice.accountId}/inbox/messages/${ids[i]}`
    t.match(await ask('DELETE', path), { status: 409, body: { error: { type: 'conflict', code: 'invalid_state' } } })
    t.equal((await ask('GET', path)).status, 200)
    await ask('POST', `${path}/move`, { body: { target_role: role } })
    t.match(await ask('DELETE', path), { status: 200, body: { object: 'inbox_message_action', ok: true } })
    t.equal((await ask('GET', path)).status, 404)
    t.equal((await ask('DELETE', path)).status, 404)
  }
})

t.test('a thread is read with its messages, oldest first', async (t) => {
  const { ask, mailbox } = await startApi(t)
  const alice = await mailbox('alice')
  const first = await alice.receive(mail({ Subject: 'Plan', 'Message-ID': '<1@x>' }), BASE)
  const second = await alice.receive(
    mail({ Subject: 'Re: Plan', 'Message-ID': '<2@x>', 'In-Reply-To': '<1@x>' }),
    BASE + MINUTE,
  )
  await deliver(alice, 'other')
  const { body: message } = await ask('GET', `/v1/mailboxes/${alice.accountId}/inbox/messages/${first}`)
  const path = `/v1/mailboxes/${alice.accountId}/inbox/threads/${message.thread_id}`
  const { status, body } = await ask('GET', path)
  t.equal(status, 200)
  t.match(body, {
    object: 'inbox_thread',
    id: message.thread_id,
    mailbox_id: alice.accountId,
    subject: 'Plan',
    message_count: 2,
  })
  t.same(
    body.data.map(({ id }: { id: string }) => id),
    [first, second],
  )
  t.same(body.data[0], message)
  t.equal((await ask('GET', path.replace(/thr_.*/, 'nothing'))).status, 404)
})

t.test('an attachment is downloaded with its name and type', async (t) => {
  const { ask, server, mailbox } = await startApi(t)
  const alice = await mailbox('alice')
  const content = Buffer.from(Uint8Array.from({ length: 256 }, (_, i) => i)).toString('base64')
  await alice.receive(`From: a@example.org
Subject: file
Content-Type: multipart/mixed; boundary=b

--b
Content-Type: text/html; name="x.html"
Content-Disposition: attachment
Content-Transfer-Encoding: base64

${content.match(/.{1,76}/g)!.join('\n')}
--b--
`)
  const { body } = await ask('GET', `/v1/mailboxes/${alice.accountId}/inbox/messages`)
  const { download_path: path, blob_id: blobId } = body.data[0].attachments[0]
  const key = await (async () => ask('GET', `/api${path}`))()
  t.equal(key.status, 200)
  t.equal(key.headers.get('content-type'), 'text/html')
  t.match(key.headers.get('content-disposition'), /^attachment; filename="x.html"/)
  t.equal(key.headers.get('etag'), `"${blobId}"`)
  const part = await ask('GET', path, { headers: { Range: 'bytes=65-69' } })
  t.same([part.status, part.text, part.headers.get('content-range')], [206, 'ABCDE', 'bytes 65-69/256'])
  t.equal((await ask('GET', path, { headers: { 'If-None-Match': `"${blobId}"` } })).status, 304)
  const outside = await ask('GET', path, { headers: { Range: 'bytes=256-' } })
  t.match(outside, { status: 416, body: { error: { code: 'range_not_satisfiable' } } })
  const unnamed = await ask('GET', `/v1/mailboxes/${alice.accountId}/inbox/attachments?blob_id=${blobId}`)
  t.match(unnamed.headers.get('content-disposition'), /filename="attachment"/)
  const missing = await ask('GET', `/v1/mailboxes/${alice.accountId}/inbox/attachments`)
  t.same(faults(missing), [['blob_id', 'required']])
  t.ok(server.url)
})

t.test('a blob of another mailbox is not found', async (t) => {
  const { ask, mailbox } = await startApi(t)
  const [alice, bob] = [await mailbox('alice'), await mailbox('bob')]
  await bob.receive(mail({ 'Content-Type': 'application/pdf', 'Content-Disposition': 'attachment' }))
  const { body } = await ask('GET', `/v1/mailboxes/${bob.accountId}/inbox/messages`)
  const blobId = body.data[0].attachments[0].blob_id
  const status = async (id: string, blob: string) =>
    (await ask('GET', `/v1/mailboxes/${id}/inbox/attachments?blob_id=${blob}`)).status
  t.equal(await status(bob.accountId, blobId), 200)
  t.equal(await status(alice.accountId, blobId), 404)
  t.equal(await status(alice.accountId, 'nothing'), 404)
  t.equal(await status(alice.accountId, 'a%20b'), 404)
})

t.test('a message is downloaded as it was received', async (t) => {
  const { ask, mailbox } = await startApi(t)
  const alice = await mailbox('alice')
  const raw = mail()
  const id = await alice.receive(raw)
  const answer = await ask('GET', `/v1/mailboxes/${alice.accountId}/inbox/messages/${id}/raw`)
  t.equal(answer.headers.get('content-type'), 'message/rfc822')
  t.match(answer.headers.get('content-disposition'), `filename="${id}.eml"`)
  t.equal(answer.text, raw.replaceAll('\n', '\r\n'))
})

/** Every endpoint below a mailbox, with a valid body. */
function below(mailboxId: string, messageId: string, threadId: string): [string, string, object | undefined, string][] {
  const inbox = `/v1/mailboxes/${mailboxId}/inbox`
  return [
    ['GET', `${inbox}/messages`, undefined, 'messages:read'],
    ['GET', `${inbox}/messages/${messageId}`, undefined, 'messages:read'],
    ['GET', `${inbox}/messages/${messageId}/raw`, undefined, 'messages:read'],
    ['PATCH', `${inbox}/messages/${messageId}`, { read: true }, 'messages:write'],
    ['POST', `${inbox}/messages/${messageId}/move`, { target_role: 'archive' }, 'messages:write'],
    ['DELETE', `${inbox}/messages/${messageId}`, undefined, 'messages:write'],
    ['GET', `${inbox}/threads/${threadId}`, undefined, 'messages:read'],
    ['GET', `${inbox}/attachments?blob_id=blb_x`, undefined, 'messages:read'],
  ]
}

t.test('other organizations and restricted keys cannot read a mailbox', async (t) => {
  const { ask, mailbox, stranger, key } = await startApi(t)
  const [alice, bob] = [await mailbox('alice'), await mailbox('bob')]
  const [id] = await deliver(alice, 'secret')
  const { body } = await ask('GET', `/v1/mailboxes/${alice.accountId}/inbox/messages/${id}`)
  const { key: foreign } = await stranger()
  const restricted = await key(['messages:read', 'messages:write'], { mailboxIds: [bob.accountId] })
  for (const [method, path, sent] of below(alice.accountId, id!, body.thread_id)) {
    const ask2 = (used: string, to = path) => ask(method, to, { key: used, ...(sent && { body: sent }) })
    t.equal((await ask2(foreign)).status, 404, `${method} ${path}`)
    t.match(await ask2(restricted), { status: 403, body: { error: { code: 'mailbox_access_denied' } } })
    t.equal((await ask2(restricted, path.replace(alice.accountId, 'nothing'))).status, 404)
  }
  for (const [method, path, sent] of below(bob.accountId, id!, body.thread_id).slice(1)) {
    t.equal((await ask(method, path, sent ? { body: sent } : {})).status, 404, `by another mailbox: ${method} ${path}`)
  }
  t.same((await ask('GET', `/v1/mailboxes/${alice.accountId}/inbox/messages/${id}`)).body.keywords, {})
})

t.test('each endpoint needs its scope and no other', async (t) => {
  const { ask, mailbox, key } = await startApi(t)
  const alice = await mailbox('alice')
  const [id] = await deliver(alice, 'one')
  const { body } = await ask('GET', `/v1/mailboxes/${alice.accountId}/inbox/messages/${id}`)
  const keys = { 'messages:read': await key(['messages:read']), 'messages:write': await key(['messages:write']) }
  for (const [method, path, sent, scope] of below(alice.accountId, id!, body.thread_id)) {
    for (const [name, used] of Object.entries(keys)) {
      const { status } = await ask(method, path, { key: used, ...(sent && { body: sent }) })
      t.equal(status === 403, name !== scope, `${method} ${path} with ${name}`)
    }
  }
})

t.test('text that is no id is not found', async (t) => {
  const { ask, mailbox } = await startApi(t)
  const alice = await mailbox('alice')
  for (const odd of ['nothing', 'a%20b', '__proto__', 'x'.repeat(300), '%F0%9F%93%A7']) {
    for (const [method, path, sent] of below(alice.accountId, odd, odd).slice(1, 7)) {
      t.equal((await ask(method, path, sent ? { body: sent } : {})).status, 404, `${method} ${path}`)
    }
  }
})

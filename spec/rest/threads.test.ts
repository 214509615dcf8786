import t, { type Test } from 'tap'
import { faults, mail, startApi } from '../support/rest-api.ts'

const BASE = Date.UTC(2026, 0, 1)
const MINUTE = 60_000

async function start(t: Test) {
  const api = await startApi(t)
  const alice = await api.mailbox('alice')
  let minute = 0
  return {
    ...api,
    alice,
    /** Delivers a message; the message as the API shows it. */
    async receive(fields: { [name: string]: string }, text?: string) {
      const id = await alice.receive(mail(fields, text), BASE + minute++ * MINUTE)
      return (await api.ask('GET', `/v1/messages/${id}`)).body as { id: string; thread_id: string }
    },
    async queue() {
      const claimed = await api.core.claimSubmissions('test', 100, 1_000)
      return claimed.map(({ bytes, recipients }) => {
        return { raw: Buffer.from(bytes).toString(), to: recipients.map(({ address }) => address) }
      })
    },
  }
}

t.test('threads are listed by their latest message', async (t) => {
  const { ask, receive, alice } = await start(t)
  const a = await receive({ Subject: 'A', 'Message-ID': '<a@x>' })
  const b = await receive({ Subject: 'B', 'Message-ID': '<b@x>' })
  const again = await receive({ Subject: 'Re: A', 'Message-ID': '<a2@x>', 'In-Reply-To': '<a@x>' }, 'Second')
  const { status, body } = await ask('GET', `/v1/threads?mailbox_id=${alice.accountId}`)
  t.equal(status, 200)
  t.same(
    body.data.map(({ id }: { id: string }) => id),
    [a.thread_id, b.thread_id],
  )
  t.match(body.data[0], {
    object: 'thread',
    id: a.thread_id,
    mailbox_id: alice.accountId,
    subject: 'A',
    message_count: 2,
    latest_message: {
      object: 'message',
      id: again.id,
      thread_id: a.thread_id,
      from_address: 'jane@example.org',
      to_addresses: [{ address: 'alice@example.test' }],
      cc_addresses: null,
      bcc_addresses: null,
      attachments: null,
      source: 'inbound',
      status: 'delivered',
      text: /^Second/,
    },
    updated_at: '2026-01-01T00:02:00.000Z',
  })
  t.same(body.pagination, { next_cursor: null, has_more: false, limit: 50 })
})

t.test('pages of threads stay consistent while threads change', async (t) => {
  const { ask, receive, alice } = await start(t)
  for (const name of ['a', 'b', 'c', 'd', 'e']) await receive({ Subject: name, 'Message-ID': `<${name}@x>` })
  const page = async (more: string) =>
    (await ask('GET', `/v1/threads?mailbox_id=${alice.accountId}&limit=2${more}`)).body
  const names = (body: { data: { subject: string }[] }) => body.data.map(({ subject }) => subject)
  const first = await page('')
  t.same(names(first), ['e', 'd'])
  await receive({ Subject: 'new', 'Message-ID': '<new@x>' })
  const second = await page(`&cursor=${first.pagination.next_cursor}`)
  t.same(names(second), ['c', 'b'])
  const third = await page(`&cursor=${second.pagination.next_cursor}`)
  t.same(names(third), ['a'])
  t.equal(third.pagination.has_more, false)
})

t.test('a list of threads needs a mailbox', async (t) => {
  const { ask, mailbox } = await start(t)
  t.same(faults(await ask('GET', '/v1/threads')), [['mailbox_id', 'required']])
  t.same(faults(await ask('GET', '/v1/threads?mailbox_id=')), [['mailbox_id', 'too_short']])
  t.equal((await ask('GET', '/v1/threads?mailbox_id=nothing')).status, 404)
  const bob = await mailbox('bob')
  t.same((await ask('GET', `/v1/threads?mailbox_id=${bob.accountId}`)).body.data, [])
})

t.test('a cursor of one mailbox is refused for another', async (t) => {
  const { ask, receive, alice, mailbox } = await start(t)
  for (const name of ['a', 'b']) await receive({ Subject: name, 'Message-ID': `<${name}@x>` })
  const bob = await mailbox('bob')
  const { body } = await ask('GET', `/v1/threads?mailbox_id=${alice.accountId}&limit=1`)
  const answer = await ask('GET', `/v1/threads?mailbox_id=${bob.accountId}&cursor=${body.pagination.next_cursor}`)
  t.match(answer, { status: 422, body: { error: { code: 'invalid_cursor' } } })
})

t.test('the messages of a thread are listed newest first, in pages', async (t) => {
  const { ask, receive, alice } = await start(t)
  const ids: string[] = []
  let thread = ''
  for (let i = 0; i < 5; i++) {
    const fields = { Subject: 'Plan', 'Message-ID': `<${i}@x>`, References: `<${Math.max(0, i - 1)}@x>` }
    const message = await receive(fields)
    ids.push(message.id)
    thread = message.thread_id
  }
  const page = async (more: string) => (await ask('GET', `/v1/threads/${thread}?limit=2${more}`)).body
  const shown = (body: { data: { id: string }[] }) => body.data.map(({ id }) => id)
  const first = await page('')
  t.same(shown(first), [ids[4], ids[3]])
  t.match(first.data[0], { object: 'message', thread_id: thread, text: /Hello/ })
  // The message of the cursor is removed, and another one arrives.
  await alice.call('Email/set', { destroy: [ids[3]!] })
  await receive({ Subject: 'Plan', 'Message-ID': '<9@x>', References: '<4@x>' })
  const second = await page(`&cursor=${first.pagination.next_cursor}`)
  t.same(shown(second), [ids[2], ids[1]])
  const third = await page(`&cursor=${second.pagination.next_cursor}`)
  t.same(shown(third), [ids[0]])
  t.same(third.pagination, { next_cursor: null, has_more: false, limit: 2 })
})

t.test('a reply is sent to the sender, in the thread', async (t) => {
  const { ask, receive, queue, alice } = await start(t)
  const inbound = await receive({ Subject: 'Plan', 'Message-ID': '<2@x>', References: '<1@x>', Cc: 'dan@example.org' })
  const { status, body } = await ask('POST', `/v1/threads/${inbound.thread_id}/reply`, { body: { text: 'Fine.' } })
  t.equal(status, 201)
  t.match(body, {
    object: 'message',
    thread_id: inbound.thread_id,
    mailbox_id: alice.accountId,
    subject: 'Re: Plan',
    from_address: 'alice@example.test',
    to_addresses: [{ address: 'jane@example.org', name: 'Jane Doe' }],
    cc_addresses: null,
    source: 'api',
    status: 'queued',
    text: 'Fine.',
  })
  const [sent] = await queue()
  t.same(sent?.to, ['jane@example.org'])
  t.match(sent?.raw, /^In-Reply-To: <2@x>\r$/m)
  t.match(sent?.raw, /^References: <1@x> <2@x>\r$/m)
  const { body: threads } = await ask('GET', `/v1/threads?mailbox_id=${alice.accountId}`)
  t.match(threads.data, [{ id: inbound.thread_id, message_count: 2, latest_message: { id: body.id } }])
})

t.test('a reply is sent to Reply-To', async (t) => {
  const { ask, receive } = await start(t)
  const inbound = await receive({ 'Reply-To': 'list@example.org, boss@example.org' })
  const { body } = await ask('POST', `/v1/threads/${inbound.thread_id}/reply`, { body: { html: '<p>Yes</p>' } })
  t.same(
    body.to_addresses.map(({ address }: { address: string }) => address),
    ['list@example.org', 'boss@example.org'],
  )
  t.equal(body.text.trim(), 'Yes')
})

t.test('a reply to all is sent to everyone once, and not to the mailbox itself', async (t) => {
  const { ask, receive } = await start(t)
  const inbound = await receive({
    To: 'Alice <ALICE@example.test>, bob@example.org',
    Cc: 'Carol <carol@example.org>, jane@example.org, Bob <BOB@example.org>',
  })
  const { body } = await ask('POST', `/v1/threads/${inbound.thread_id}/reply`, {
    body: { text: 'x', reply_all: true, cc: 'dan@example.org', bcc: 'eve@example.org' },
  })
  const list = (addresses: { address: string }[]) => addresses.map(({ address }) => address)
  t.same(list(body.to_addresses), ['jane@example.org'])
  t.same(list(body.cc_addresses), ['dan@example.org', 'bob@example.org', 'carol@example.org'])
  t.same(list(body.bcc_addresses), ['eve@example.org'])
})

t.test('after a message of its own, a reply is still sent to the other sender', async (t) => {
  const { ask, receive, clock, queue } = await start(t)
  const inbound = await receive({ Subject: 'Plan', 'Message-ID': '<1@x>' })
  clock.advance(60 * MINUTE)
  await ask('POST', `/v1/threads/${inbound.thread_id}/reply`, { body: { text: 'One.' } })
  clock.advance(MINUTE)
  const { body } = await ask('POST', `/v1/threads/${inbound.thread_id}/reply`, { body: { text: 'Two.' } })
  t.match(body, { subject: 'Re: Plan', to_addresses: [{ address: 'jane@example.org' }] })
  const [one, two] = await queue()
  const idOf = /^Message-ID: (.*)\r$/im.exec(one!.raw)![1]
  t.equal(/^In-Reply-To: (.*)\r$/m.exec(two!.raw)?.[1], idOf)
})

t.test('in a thread of own messages only, a reply is sent to their recipients', async (t) => {
  const { ask, alice } = await start(t)
  const message = { from: alice.address, to: 'bob@example.org', subject: 'Re: Offer', text: 'x' }
  const { body: sent } = await ask('POST', '/v1/messages', { body: message })
  const { body } = await ask('POST', `/v1/threads/${sent.thread_id}/reply`, { body: { text: 'y' } })
  t.match(body, { subject: 'Re: Offer', to_addresses: [{ address: 'bob@example.org' }], thread_id: sent.thread_id })
})

t.test('recipients and subject of the request replace the defaults of a reply', async (t) => {
  const { ask, receive, queue } = await start(t)
  const inbound = await receive({ Subject: 'Plan' })
  const { status, body } = await ask('POST', `/v1/threads/${inbound.thread_id}/reply`, {
    body: {
      to: 'other@example.org',
      subject: 'Re: Plan B',
      text: 'x',
      reply_to: 'help@example.test',
      headers: { 'X-A': 'b' },
      tags: { a: 'b' },
      attachments: [{ filename: 'a.txt', content: 'AA==' }],
      scheduled_at: '2026-01-02T00:00:00Z',
    },
  })
  t.equal(status, 201)
  t.match(body, {
    to_addresses: [{ address: 'other@example.org' }],
    subject: 'Re: Plan B',
    tags: { a: 'b' },
    attachments: [{ filename: 'a.txt' }],
    status: 'scheduled',
    scheduled_at: '2026-01-02T00:00:00.000Z',
  })
  t.same(await queue(), [])
})

t.test('invalid fields of a reply are refused by name, and nothing is sent', async (t) => {
  const { ask, receive, queue } = await start(t)
  const { thread_id } = await receive({})
  const many = (count: number) => Array.from({ length: count }, (_, i) => `a${i}@example.org`)
  const cases: [object, string, string][] = [
    [{}, 'text', 'required'],
    [{ text: '', html: '' }, 'text', 'required'],
    [{ text: 7 }, 'text', 'invalid_type'],
    [{ text: 'x', to: 'nobody' }, 'to', 'invalid_format'],
    [{ text: 'x', to: many(51) }, 'to', 'too_long'],
    [{ text: 'x', to: many(30), cc: many(21) }, 'to', 'too_long'],
    [{ text: 'x', bcc: many(51) }, 'bcc', 'too_long'],
    [{ text: 'x', to: [] }, 'to', 'required'],
    [{ text: 'x', reply_all: 'yes' }, 'reply_all', 'invalid_type'],
    [{ text: 'x', subject: 'a\nb' }, 'subject', 'invalid_format'],
    [{ text: 'x', headers: { Bcc: 'x@example.org' } }, 'headers.Bcc', 'not_allowed'],
    [{ text: 'x', scheduled_at: '2020-01-01T00:00:00Z' }, 'scheduled_at', 'must_be_future'],
  ]
  for (const [body, field, code] of cases) {
    t.same(faults(await ask('POST', `/v1/threads/${thread_id}/reply`, { body })), [[field, code]], JSON.stringify(body))
  }
  t.same(await queue(), [])
  const fifty = { text: 'x', to: many(30), cc: many(20), bcc: many(50) }
  t.equal((await ask('POST', `/v1/threads/${thread_id}/reply`, { body: fifty })).status, 201)
})

t.test('threads are closed to other organizations, restricted keys and missing scopes', async (t) => {
  const { ask, receive, stranger, key, mailbox, alice } = await start(t)
  const { thread_id } = await receive({})
  const bob = await mailbox('bob')
  const { key: foreign } = await stranger()
  const restricted = await key(['threads:read', 'messages:write'], { mailboxIds: [bob.accountId] })
  const endpoints: [string, string, object | undefined, 'threads:read' | 'messages:write'][] = [
    ['GET', `/v1/threads?mailbox_id=${alice.accountId}`, undefined, 'threads:read'],
    ['GET', `/v1/threads/${thread_id}`, undefined, 'threads:read'],
    ['POST', `/v1/threads/${thread_id}/reply`, { text: 'x' }, 'messages:write'],
  ]
  for (const [method, path, body, scope] of endpoints) {
    const status = async (used: string, to = path) =>
      (await ask(method, to, { key: used, ...(body && { body }) })).status
    t.equal(await status(foreign), 404, `${method} ${path}`)
    t.equal(await status(restricted), 403)
    const odd = path.replace(alice.accountId, 'nothing').replace(thread_id, 'nothing')
    t.equal(await status(restricted, odd), 404)
    t.equal(await status(await key(['messages:read', 'domains:read'])), 403)
    t.match(await status(await key([scope])), method === 'GET' ? 200 : 201)
  }
})

t.test('a reply to mail for an alias is sent from the alias unless from names another address', async (t) => {
  const { ask, receive, alice, queue, domainId } = await start(t)
  await ask('POST', '/v1/aliases', { body: { domain_id: domainId, address: 'shop', mailbox_id: alice.accountId } })
  const { thread_id: id } = await receive({ To: 'Shop <SHOP+17@example.test>', Cc: 'carol@example.org' })
  const reply = (more: object = {}) =>
    ask('POST', `/v1/threads/${id}/reply`, { body: { text: 'Yes', reply_all: true, ...more } })
  t.match(await reply(), { status: 201, body: { from_address: 'shop@example.test' } })
  t.match(await reply(), { status: 201, body: { from_address: 'shop@example.test' } }, 'and so does what follows')
  t.match(await reply({ from: 'Alice <alice@example.test>' }), {
    status: 201,
    body: { from_address: 'alice@example.test' },
  })
  t.match(await reply({ from: 'jane@example.org' }), { status: 422 })
  const [first] = await queue()
  t.same(first?.to, ['jane@example.org', 'carol@example.org'], 'the alias gets no copy')
  const { thread_id: own } = await receive({ 'Message-ID': '<own@x>', Subject: 'Other' })
  t.match(await ask('POST', `/v1/threads/${own}/reply`, { body: { text: 'Yes' } }), {
    body: { from_address: 'alice@example.test' },
  })
})

// spec/contract.tsv, Suppressions; decisions D14, D25.
import t from 'tap'
import { faults, startApi } from '../support/rest-api.ts'

t.test('suppressions', async (t) => {
  const { ask, key, mailbox, stranger, server } = await startApi(t)
  const alice = await mailbox('alice')
  const add = async (email_address: string) => ask('POST', '/v1/suppressions', { body: { email_address } })

  t.test('an address is added, read, listed and removed', async (t) => {
    const made = await add(' Jane@Example.org ')
    t.equal(made.status, 201)
    const shown = { object: 'suppression', id: /^sup_/, email_address: 'jane@example.org', reason: 'manual' }
    t.match(made.body, {
      ...shown,
      source_message_id: null,
      smtp_response: null,
      created_at: '2026-01-01T00:00:00.000Z',
    })
    t.match((await ask('GET', '/v1/suppressions/Jane%40example.org')).body, shown)
    t.match(await add('jane@example.org'), { status: 409, body: { error: { type: 'conflict' } } })
    t.same(faults(await add('nobody')), [['email_address', 'invalid_format']])
    t.equal((await ask('DELETE', '/v1/suppressions/jane%40example.org')).status, 204)
    t.equal((await ask('DELETE', '/v1/suppressions/jane%40example.org')).status, 404)
    t.equal((await ask('GET', '/v1/suppressions/jane@example.org')).status, 404)
    t.equal((await ask('GET', '/v1/suppressions/no-address')).status, 404)
  })

  t.test('suppressions are listed newest first, in pages, by address and by reason', async (t) => {
    for (const name of ['a', 'b', 'c']) await add(`${name}@page.example`)
    const names = (page: { body: { data: { email_address: string }[] } }) =>
      page.body.data.map((one) => one.email_address)
    const first = await ask('GET', '/v1/suppressions?limit=2&reason=manual')
    t.same(names(first), ['c@page.example', 'b@page.example'])
    const { next_cursor: cursor } = first.body.pagination
    t.same(names(await ask('GET', `/v1/suppressions?limit=2&cursor=${cursor}`)), ['a@page.example'])
    t.same(names(await ask('GET', '/v1/suppressions?email=B@page.example')), ['b@page.example'])
    t.same(names(await ask('GET', '/v1/suppressions?reason=complaint')), [])
    t.equal((await ask('GET', '/v1/suppressions?reason=bad')).status, 422)
    const other = await stranger()
    t.same(names(await ask('GET', '/v1/suppressions', { key: await key(['suppressions:read']) })).length, 3, 'control')
    t.equal((await server.ask('GET', '/v1/suppressions', { key: other.key })).body.data.length, 0)
  })

  t.test('a message to suppressed addresses is a 422 that names each, and nothing is sent or stored', async (t) => {
    await add('gone@example.org')
    await add('left@example.org')
    const message = {
      from: alice.address,
      to: ['fine@example.org', 'Gone@example.org'],
      bcc: 'left@example.org',
      text: 'x',
    }
    for (const dry_run of [true, false]) {
      const answer = await ask('POST', '/v1/messages', { body: { ...message, dry_run } })
      t.same(
        faults(answer).sort(),
        [
          ['bcc', 'suppressed'],
          ['to[1]', 'suppressed'],
        ],
        `dry run ${dry_run}`,
      )
    }
    t.same((await alice.call('Email/query', {})).ids, [])
    t.same((await alice.call('EmailSubmission/query', {})).ids, [])
    await ask('DELETE', '/v1/suppressions/gone@example.org')
    await ask('DELETE', '/v1/suppressions/left@example.org')
    t.equal((await ask('POST', '/v1/messages', { body: message })).status, 201, 'control')
  })

  t.test('a reply to a suppressed address is refused too', async (t) => {
    const raw = 'From: ask@example.org\nTo: alice@example.test\nMessage-ID: <q@example.org>\nSubject: Q\n\nq\n'
    const emailId = await alice.receive(raw)
    const { threadId } = (await alice.call('Email/get', { ids: [emailId], properties: ['threadId'] })).list[0]
    await add('ask@example.org')
    const reply = () => ask('POST', `/v1/threads/${threadId}/reply`, { body: { text: 'a' } })
    t.same(faults(await reply()), [['to', 'suppressed']])
    await ask('DELETE', '/v1/suppressions/ask@example.org')
    t.equal((await reply()).status, 201, 'control')
  })

  t.test('suppressions need their scopes', async (t) => {
    const [reading, writing] = [await key(['suppressions:read']), await key(['suppressions:write'])]
    t.equal((await ask('GET', '/v1/suppressions', { key: writing })).status, 403)
    t.equal((await ask('DELETE', '/v1/suppressions/a@page.example', { key: reading })).status, 403)
    t.equal((await ask('DELETE', '/v1/suppressions/a@page.example', { key: writing })).status, 204)
  })
})

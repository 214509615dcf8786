import { join } from 'node:path'
import t, { type Test } from 'tap'
import { bodySize } from '../../../jmap/protocol/answer-body.ts'
import { Administration } from '../../../server/administration/administration.ts'
import { systemClock } from '../../../server/base/clock.ts'
import type { Fatal } from '../../../server/base/fatal.ts'
import { WaitingClient } from '../../../server/base/guard.ts'
import { silentLogger } from '../../../server/base/logger.ts'
import { type Principal, SYSTEM } from '../../../server/base/principal.ts'
import { ANSWER_MAX_BYTES, LARGE_OBJECT_CHARS, UNSENT_MAX_BYTES } from '../../../server/base/reading-limits.ts'
import { readConfig } from '../../../server/config/config.ts'
import { gatherSettings } from '../../../server/config/env.ts'
import { openCore } from '../../../server/threads/open-core.ts'
import { openSqlite } from '../../../storage/dialect/sqlite.ts'
import { openStore } from '../../../storage/store.ts'
import { parseBody, type Result, USING } from '../../support/core.ts'
import { type EngineName, forEachEngine, placeWithSchema } from '../../support/engines.ts'
import { memoryBlobs } from '../../support/memory-blobs.ts'
import { temporaryFolder } from '../../support/posthouse.ts'

/** A core with its threads, and a mailbox. */
async function openMailbox(t: Test, engine: EngineName, more: Record<string, string> = {}) {
  const data = temporaryFolder(t)
  const database = engine === 'postgres' ? { database: (await placeWithSchema(t, 'postgres')).at } : {}
  const config = readConfig(gatherSettings({ dev: true, data, log_level: 'silent', ...database, ...more }, {}))
  const databaseUrl = database.database ?? null
  const secrets = {
    databaseUrl,
    s3SecretKey: null,
    relayUrl: null,
    secretKey: null,
    modelKey: null,
    registrarKey: null,
    dnsProviderKey: null,
    stripeSecretKey: null,
    stripeWebhookSecret: null,
  }
  const onFatal = ({ error }: Fatal) => t.fail(error.message)
  const opened = await openCore({ config, secrets, clock: systemClock, logger: silentLogger, onFatal })
  const { core, unsent, executeRest } = opened
  t.teardown(() => core.close())
  const admin = new Administration(core)
  const organization = await admin.createOrganization('Test')
  const domain = await admin.createDomain(organization.id, 'example.test')
  const { id: accountId, address } = await admin.createMailbox(organization.id, domain.id, 'hello', null, 'Secret123')
  const recipients = [{ account: core.ids.accountNumber('mailbox', accountId)!, address }]
  const receive = (subject: string, text = 'Hi\r\n') =>
    core.ingest([
      {
        bytes: Buffer.from(`From: a@example.org\r\nSubject: ${subject}\r\n\r\n${text}`),
        recipients,
        receivedAt: 0,
        mailFrom: '',
      },
    ])
  const ask = async (...calls: [string, object][]): Promise<Result[]> => {
    const methodCalls = calls.map(([name, args], i) => [name, { accountId, ...args }, String(i)])
    const answer = await core.processText(SYSTEM, Buffer.from(JSON.stringify({ using: USING, methodCalls })))
    t.equal(answer.status, 200)
    return parseBody(answer.body).methodResponses
  }
  const principal: Principal = {
    ...SYSTEM,
    kind: 'apiKey',
    organization: core.ids.accountNumber('organization', organization.id)!,
    credential: 'key',
  }
  /** POST of a batch of messages from the mailbox, as the router hands it on. */
  const sendBatch = async (messages: readonly object[], key?: string) => {
    const request = {
      operationId: 'sendBatch',
      requestId: 'req_1',
      principal,
      isPublic: false,
      isRead: false,
      baseUrl: 'http://localhost',
      method: 'POST',
      target: '/v1/messages/batch',
      params: {},
      key,
      condition: undefined,
      body: Buffer.from(JSON.stringify({ messages: messages.map((message) => ({ from: address, ...message })) })),
    }
    const answer = await executeRest!(request, new WaitingClient())
    return { ...answer, body: parseBody(answer.body) }
  }
  /** GET of the inbox, as the router hands it on when it reads much. */
  const listInbox = async (client: WaitingClient) => {
    const params = { mailbox_id: accountId }
    const target = `/v1/mailboxes/${accountId}/inbox/messages`
    const read = { operationId: 'listInboxMessages', requestId: 'req_2', principal, isPublic: false, isRead: true }
    const fields = {
      baseUrl: '',
      method: 'GET',
      target,
      params,
      key: undefined,
      condition: undefined,
      body: new Uint8Array(0),
    }
    const answer = await executeRest!({ ...read, ...fields }, client)
    return { ...answer, body: parseBody(answer.body) }
  }
  return { core, unsent, accountId, receive, ask, sendBatch, listInbox, data }
}

/** A query that may read the whole account. */
const BY_SUBJECT: [string, object] = ['Email/query', { sort: [{ property: 'subject' }], calculateTotal: true }]
const CALL = ([name, args]: [string, object], accountId: string) => [name, { accountId, ...args }, 'q']

await forEachEngine(t, async (t, engine) => {
  const { core, accountId, receive, ask, sendBatch, listInbox } = await openMailbox(t, engine)

  t.test('a query in a reading thread sees what was written before it', async (t) => {
    for (let i = 1; i <= 10; i++) {
      await receive(`Number ${i}`)
      const [[, answer]] = (await ask(BY_SUBJECT)) as [Result]
      t.equal(answer.total, i)
    }
  })

  t.test('a request that writes between its queries sees each write', async (t) => {
    const before = (await ask(BY_SUBJECT))[0][1].total
    const create = { c: { name: 'Between' } }
    const email = { mailboxIds: { '#c': true }, subject: 'Between', bodyValues: {} }
    const answers = await ask(
      BY_SUBJECT,
      ['Mailbox/set', { create }],
      ['Email/set', { create: { e: email } }],
      BY_SUBJECT,
      ['Email/query', { filter: { inMailbox: '#c', subject: 'Between' }, sort: [{ property: 'size' }] }],
      ['Email/get', { '#ids': { resultOf: '4', name: 'Email/query', path: '/ids' }, properties: ['subject'] }],
    )
    t.same(
      answers.map(([name]: [string]) => name),
      ['Email/query', 'Mailbox/set', 'Email/set', 'Email/query', 'Email/query', 'Email/get'],
    )
    t.equal(answers[0][1].total, before)
    t.equal(answers[3][1].total, before + 1)
    t.same(answers[4][1].ids, [answers[2][1].created.e.id])
    t.match(answers[5][1].list, [{ subject: 'Between' }])
  })

  t.test('a refused write in such a request changes nothing, and its other calls run', async (t) => {
    const [, refused, query] = await ask(
      BY_SUBJECT,
      ['Mailbox/set', { create: { c: { name: '' } }, ifInState: 'wrong' }],
      BY_SUBJECT,
    )
    t.match(refused, ['error', { type: 'stateMismatch' }])
    t.equal(query[0], 'Email/query')
  })

  t.test('creation ids of writes are in the answer', async (t) => {
    const using = USING
    const methodCalls = [
      CALL(BY_SUBJECT, accountId),
      ['Mailbox/set', { accountId, create: { k: { name: 'Known' } } }, 's'],
    ]
    const body = Buffer.from(JSON.stringify({ using, methodCalls, createdIds: {} }))
    const answer = parseBody((await core.processText(SYSTEM, body)).body)
    t.equal(answer.createdIds.k, answer.methodResponses[1][1].created.k.id)
  })

  t.test('a large request is run, whether it writes, reads, or hides its names in escapes', async (t) => {
    const padding = ' '.repeat(100_000)
    const large = async (text: string) => parseBody((await core.processText(SYSTEM, Buffer.from(text + padding))).body)
    const calls = (call: unknown) => JSON.stringify({ using: USING, methodCalls: [call] })
    const query = calls(CALL(BY_SUBJECT, accountId))
    t.match(await large(query), { methodResponses: [['Email/query', { ids: Array }, 'q']] })
    const hidden = query.replace('Email/query', 'Email\\u002fquery')
    t.match(await large(hidden), { methodResponses: [['Email/query', { ids: Array }, 'q']] })
    const write = calls(['Mailbox/set', { accountId, create: { l: { name: 'Large' } } }, 'q'])
    t.match(await large(write), { methodResponses: [['Mailbox/set', { created: { l: { id: String } } }, 'q']] })
  })

  t.test('a batch of large messages is sent by a thread for large requests, once for each key', async (t) => {
    const count = async () => (await ask(['Email/query', { filter: { subject: 'Batch' } }]))[0][1].ids.length
    const text = 'All work and no play. '.repeat(20_000)
    const attachments = [{ filename: 'a.bin', content: Buffer.alloc(3_000_000, 7).toString('base64') }]
    const messages = [
      { to: 'b@example.org', subject: 'Batch', text },
      { to: 'no address', subject: 'Batch', text },
      { to: 'c@example.org', subject: 'Batch', text: 'x', attachments },
    ]
    const sent = await sendBatch(messages, 'once')
    t.match(sent, {
      status: 200,
      body: {
        data: [
          { status: 201, message: { text } },
          { status: 422, error: { details: [{ field: 'to' }] } },
          { status: 201 },
        ],
      },
    })
    t.match(sent.body.data[2].message.attachments, [{ filename: 'a.bin', size: 3_000_000 }])
    t.equal(await count(), 2)
    const again = await sendBatch(messages, 'once')
    t.match(again.headers, { 'Idempotent-Replayed': 'true' })
    t.same(again.body, sent.body)
    t.equal(await count(), 2)
    t.match(await sendBatch([]), { status: 422, body: { error: { code: 'validation_error' } } })
  })

  t.test('a search finds a message that has just arrived', async (t) => {
    await receive('Okapi')
    const [[, { ids }]] = (await ask(['Email/query', { filter: { text: 'okapi' }, calculateTotal: true }])) as [Result]
    t.equal(ids.length, 1)
  })

  t.test('a request of a disconnected client is not run', async (t) => {
    const client = new WaitingClient()
    const request = { using: USING, methodCalls: [CALL(BY_SUBJECT, accountId)] }
    t.match(await core.process(SYSTEM, request as never, undefined, client), { methodResponses: [['Email/query']] })
    client.leave()
    await t.rejects(core.process(SYSTEM, request as never, undefined, client), { code: 'abandoned' })
  })

  t.test('a list of REST is read in a reading thread, until its client leaves', async (t) => {
    await receive('Listed')
    const client = new WaitingClient()
    const { status, tag, body } = await listInbox(client)
    t.match({ status, tag }, { status: 200, tag: null })
    t.ok(body.data.some(({ subject }: Result) => subject === 'Listed'))
    client.leave()
    await t.rejects(listInbox(client), { code: 'abandoned' })
  })

  t.test('an answer too large for objects is refused to a caller that then asks for octets', async (t) => {
    await receive('Much', 'All work and no play.\r\n'.repeat(LARGE_OBJECT_CHARS / 20))
    const [[, { ids }]] = (await ask(['Email/query', { filter: { subject: 'Much' } }])) as [Result]
    const read = (fetchAllBodyValues: boolean, client: WaitingClient) => {
      const get = ['Email/get', { accountId, ids, properties: ['bodyValues'], fetchAllBodyValues }, 'g']
      const request = { using: USING, methodCalls: [CALL(BY_SUBJECT, accountId), get] }
      return core.process(SYSTEM, request as never, undefined, client)
    }
    await t.rejects(read(true, new WaitingClient({ restartsLarge: true })), { code: 'diverted' })
    t.match(
      await read(false, new WaitingClient({ restartsLarge: true })),
      { methodResponses: Array },
      'control: a small one',
    )
    t.match(await read(true, new WaitingClient()), { methodResponses: Array }, 'control: a caller that takes objects')
    const { body } = await listInbox(new WaitingClient())
    t.equal(JSON.stringify(body).length > LARGE_OBJECT_CHARS, true)
  })

  t.test('requests at the same time are all answered', async (t) => {
    const answers = await Promise.all(Array.from({ length: 40 }, () => ask(BY_SUBJECT)))
    const totals = new Set(answers.map(([[, { total }]]: Result) => total))
    t.equal(totals.size, 1)
  })
})

const shared = await openMailbox(t, 'sqlite')

t.test('a response is bounded, and names the calls that did not fit', async (t) => {
  const { core, accountId, receive } = shared
  await receive('Large', 'All work and no play.\r\n'.repeat(50_000))
  const query = ['Email/query', { accountId }, 'q']
  const ids = { resultOf: 'q', name: 'Email/query', path: '/ids' }
  const get = (id: number) => [
    'Email/get',
    { accountId, '#ids': ids, properties: ['bodyValues'], fetchAllBodyValues: true },
    String(id),
  ]
  const run = async (calls: number) => {
    const methodCalls = [query, ...Array.from({ length: calls }, (_, i) => get(i)), ['Core/echo', {}, 'e']]
    const { body } = await core.processText(SYSTEM, Buffer.from(JSON.stringify({ using: USING, methodCalls })))
    const names = parseBody(body).methodResponses.map(([name, { type }]: Result) => type ?? name)
    return { size: bodySize(body), names: new Set(names), last: names.at(-1) }
  }
  const few = await run(2)
  t.same([...few.names], ['Email/query', 'Email/get', 'Core/echo'], 'control')
  t.ok(few.size > 2_000_000)
  const many = await run(40)
  t.same([...many.names], ['Email/query', 'Email/get', 'requestTooLarge', 'Core/echo'])
  t.equal(many.last, 'Core/echo', 'what is small is answered still')
  t.ok(many.size > ANSWER_MAX_BYTES / 2 && many.size <= ANSWER_MAX_BYTES + 10_000, `${many.size} octets`)
})

t.test(
  'a large answer has the same objects as small ones, in the order asked for, and later calls read them',
  async (t) => {
    const { core, accountId, receive } = shared
    for (const text of ['täglich', '日本語', '𝄞 "quoted" \\']) await receive(text, `${text}\r\n`.repeat(40_000))
    const ask = async (methodCalls: readonly unknown[]) => {
      const { body } = await core.processText(SYSTEM, Buffer.from(JSON.stringify({ using: USING, methodCalls })))
      return {
        isLarge: typeof body !== 'string',
        results: parseBody(body).methodResponses.map(([, result]: Result) => result),
      }
    }
    const bodies = { accountId, properties: ['subject', 'bodyValues'], fetchAllBodyValues: true }
    const { results } = await ask([['Email/query', { accountId }, 'q']])
    const ids: readonly string[] = results[0].ids
    const single: Result[] = []
    for (const id of ids) {
      const { results } = await ask([['Email/get', { ...bodies, ids: [id], maxBodyValueBytes: 900_000 }, 'g']])
      single.push(results[0].list[0])
    }
    const subjects = { resultOf: 'b', name: 'Email/get', path: '/list/*/id' }
    const all = await ask([
      ['Email/get', { ...bodies, ids: ids.toReversed(), maxBodyValueBytes: 900_000 }, 'a'],
      ['Email/get', { ...bodies, ids, maxBodyValueBytes: 900_000 }, 'b'],
      ['Email/get', { accountId, properties: ['subject'], '#ids': subjects }, 'c'],
    ])
    t.ok(all.isLarge)
    t.same(all.results[0].list, single.toReversed())
    t.same(all.results[1].list, single)
    t.same(
      all.results[2].list.map(({ subject }: Result) => subject),
      single.map(({ subject }) => subject),
    )
  },
)

t.test('answers that were made beside the sockets count until they are read, and what is beyond waits', async (t) => {
  const { core, unsent } = shared
  const echo = async (credential: string, octets: number, client = new WaitingClient()) => {
    const methodCalls = [['Core/echo', { text: 'x'.repeat(octets) }, 'e']]
    const request = Buffer.from(JSON.stringify({ using: USING, methodCalls }))
    await core.processText({ ...SYSTEM, credential }, request, client)
    return client
  }
  const reader = await echo('anna', 1_000_000)
  t.ok(unsent.of('anna') > 1_000_000)
  const full = new WaitingClient()
  unsent.hold('anna', UNSENT_MAX_BYTES - ANSWER_MAX_BYTES, (left) => full.onLeave(left))
  let isAnswered = false
  const waiting = echo('anna', 1).then(() => {
    isAnswered = true
  })
  await echo('bob', 1)
  t.notOk(isAnswered, 'another client does not wait')
  reader.leave()
  await waiting
  full.leave()
  t.equal(unsent.of('anna'), 0)
})

t.test('a query that would take hours ends with its client, and with the core', async (t) => {
  // The last test of this core: it closes it.
  const { core, accountId, receive, ask, data } = shared
  const blobs = memoryBlobs(() => 0)
  const store = await openStore({
    dialect: openSqlite({ file: join(data, 'posthouse.db') }),
    blobs,
    clock: systemClock,
  })
  // One thread of very many emails: each is compared with each other.
  await store.write([], ({ sql }) =>
    sql.raw(`with recursive n(i) as (select 1 union all select i + 1 from n where i < 10000)
      insert into email select account, id + i * 100, thread, blob, size, received_at, sent_at, has_attachment, unread, keywords, mailboxes,
      from_sort, to_sort, subject_sort, packed, structure, source, created_at from email cross join n`),
  )
  await store.close()
  const filter = { someInThreadHaveKeyword: 'nobody' }
  const request = { using: USING, methodCalls: [CALL(['Email/query', { filter }], accountId)] }
  const client = new WaitingClient()
  // Its thread is there and at work.
  await ask(['Email/query', { sort: [{ property: 'size' }], limit: 1 }])
  const left = core.process(SYSTEM, request as never, undefined, client)
  client.leave()
  await t.rejects(left, { code: 'abandoned' })
  t.equal((await ask(['Email/query', { sort: [{ property: 'size' }], limit: 1 }]))[0][0], 'Email/query')
  const closed = core.process(SYSTEM, request as never, undefined, new WaitingClient()).catch((error: unknown) => error)
  // Meanwhile it is at work.
  for (const subject of ['One', 'Two', 'Three', 'Four']) await receive(subject)
  await core.close()
  t.ok((await closed) instanceof Error)
})

t.test('without reading threads the same requests are answered', async (t) => {
  const { ask } = await openMailbox(t, 'sqlite', { reading_threads: '0' })
  const [query, set] = await ask(BY_SUBJECT, ['Mailbox/set', { create: { c: { name: 'Alone' } } }])
  t.equal(query[0], 'Email/query')
  t.match(set, ['Mailbox/set', { created: { c: { id: String } } }])
})

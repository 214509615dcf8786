/** Every operation together with a deletion of an object that it names, at each point of the request. */
import t, { type Test } from 'tap'
import { restIds } from '../../rest/access/ids.ts'
import type { Endpoint } from '../../rest/endpoint.ts'
import { ENDPOINTS } from '../../rest/endpoints.ts'
import { createRestRouter } from '../../rest/rest.ts'
import { SYSTEM } from '../../server/base/principal.ts'
import type { Result } from '../support/core.ts'
import { DeletionRace } from '../support/deletion-race.ts'
import { type EngineName, forEachEngine } from '../support/engines.ts'
import { mail, startApi, telling } from '../support/rest-api.ts'
import { startRest, type TestAnswer, testDeps } from '../support/rest-server.ts'

type Ids = { readonly [name: string]: string }
type Kind = 'mailbox' | 'domain' | 'folder' | 'message' | 'alias' | 'webhook' | 'key' | 'suppression'

/** Objects that are deleted together. */
const WITH: { readonly [K in Kind]: readonly Kind[] } = {
  domain: ['domain', 'mailbox', 'folder', 'message', 'alias'],
  mailbox: ['mailbox', 'folder', 'message', 'alias'],
  folder: ['folder'],
  message: ['message'],
  alias: ['alias'],
  webhook: ['webhook'],
  key: ['key'],
  suppression: ['suppression'],
}
/** Objects that must exist first. */
const ORDER: readonly Kind[] = ['domain', 'mailbox', 'folder', 'message', 'alias', 'webhook', 'key', 'suppression']
const PLACES_MAX = 30
/** The suite races each operation at some places; all: `RACE_PLACES=1`. */
const EVERY = Number(process.env['RACE_PLACES'] ?? 3)

async function startRace(t: Test, engine: EngineName) {
  const race = new DeletionRace()
  const api = await startApi(t, { aroundStore: (store) => race.around(store) }, engine)
  const { core, clock, organization } = api
  const process = race.process(core)
  const deps = testDeps(
    { ...core, process },
    { ids: restIds(core.ids), clock, idempotency: core.idempotency, logger: telling(t) },
  )
  const node = await startRest(createRestRouter(deps), await api.allKey())
  t.teardown(() => node.close())
  const call = async (name: string, args: object, accountId = organization.accountId): Promise<Result> => {
    const [answer] = await api.request([[name, { accountId, ...args }]], SYSTEM)
    return answer![1]
  }
  return { race, api, node, call }
}

/** The objects that operations name. Deleted ones are created again. */
function worldOf({ api, call }: Awaited<ReturnType<typeof startRace>>) {
  const { core, organization } = api
  const there = new Map<Kind, Ids>()
  let count = 0
  const at = (kind: Kind, name: string) => there.get(kind)![name]!
  const create = async (type: string, object: object, account?: string): Promise<string> =>
    (await call(`${type}/set`, { create: { c: object } }, account)).created.c.id
  const destroy = (type: string, id: string, more: object = {}, account?: string) =>
    call(`${type}/set`, { destroy: [id], ...more }, account)
  const makers: { readonly [K in Kind]: () => Promise<Ids> } = {
    domain: async () => ({ domain_id: await create('Domain', { name: `d${++count}.test` }) }),
    mailbox: async () => {
      const create = { c: { domainId: at('domain', 'domain_id'), localPart: `alice${++count}` } }
      const made = await call('MailAccount/set', { create })
      if (!made.created) throw new Error(JSON.stringify(made))
      return { mailbox_id: made.created.c.id, from: made.created.c.address }
    },
    folder: async () => ({
      folder_id: await create('Mailbox', { name: `Orders ${++count}` }, at('mailbox', 'mailbox_id')),
    }),
    message: async () => {
      const address = at('mailbox', 'from')
      const account = core.ids.accountNumber('mailbox', at('mailbox', 'mailbox_id'))!
      const raw = mail({ 'Message-ID': `<${++count}@example.org>`, Subject: `Race ${count}`, To: address })
      const bytes = Buffer.from(raw.replaceAll('\n', '\r\n'))
      const delivery = {
        bytes,
        recipients: [{ account, address }],
        receivedAt: api.clock.now(),
        mailFrom: 'j@example.org',
      }
      const [[result]] = (await core.ingest([delivery])) as [[Result]]
      const { list } = await call('Email/get', { ids: [result.emailId] }, at('mailbox', 'mailbox_id'))
      return { message_id: result.emailId, thread_id: list[0].threadId, blob_id: list[0].blobId }
    },
    alias: async () => {
      const [domainId, mailboxId] = [at('domain', 'domain_id'), at('mailbox', 'mailbox_id')]
      return { alias_id: await create('Alias', { domainId, mailboxId, localPart: `sales${++count}` }) }
    },
    webhook: async () => {
      const webhook_id = await create('Webhook', { url: 'https://hooks.example.org/', events: ['message.received'] })
      const { deliveryId } = await call('Webhook/test', { webhookId: webhook_id })
      return { webhook_id, delivery_id: deliveryId }
    },
    key: async () => ({ key_id: await create('ApiKey', { name: 'Shop', scopes: ['usage:read'] }) }),
    suppression: async () => {
      const email = `gone${++count}@example.org`
      return { email, suppression_id: await create('Suppression', { email }) }
    },
  }
  const removers: { readonly [K in Kind]: () => Promise<unknown> } = {
    domain: () => destroy('Domain', at('domain', 'domain_id'), { onDestroyRemoveMailAccounts: true }),
    mailbox: () => destroy('MailAccount', at('mailbox', 'mailbox_id')),
    folder: () => destroy('Mailbox', at('folder', 'folder_id'), {}, at('mailbox', 'mailbox_id')),
    message: () => destroy('Email', at('message', 'message_id'), {}, at('mailbox', 'mailbox_id')),
    alias: () => destroy('Alias', at('alias', 'alias_id')),
    webhook: () => destroy('Webhook', at('webhook', 'webhook_id')),
    key: () => destroy('ApiKey', at('key', 'key_id')),
    suppression: () => destroy('Suppression', at('suppression', 'suppression_id')),
  }
  return {
    organization,
    async ids(): Promise<Ids> {
      for (const kind of ORDER) if (!there.has(kind)) there.set(kind, await makers[kind]())
      return Object.assign({ count: String(++count) }, ...there.values())
    },
    remove: (kind: Kind) => removers[kind](),
    /** They are deleted, or changed by an operation. */
    forget: (kind: Kind) => {
      for (const one of WITH[kind]) there.delete(one)
    },
  }
}

/** Bodies and queries where the example of the document does not do. */
const OWN: { readonly [operationId: string]: (ids: Ids) => object } = {
  createDomain: ({ count }) => ({ name: `new${count}.test` }),
  createMailbox: ({ domain_id, count }) => ({ domain_id, address: `new${count}` }),
  createFolder: ({ folder_id, count }) => ({ name: `New ${count}`, parent_id: folder_id }),
  updateFolder: ({ count }) => ({ name: `Renamed ${count}` }),
  moveInboxMessage: ({ folder_id }) => ({ target_folder_id: folder_id }),
  replaceRules: (ids) => ({ rules: [ruleInto(ids)] }),
  testRules: (ids) => ({ message_id: ids['message_id'], rules: [ruleInto(ids)] }),
  sendMessage: ({ from, thread_id }) => ({ from, to: 'jane@example.net', subject: 'Race', text: 'x', thread_id }),
  sendBatch: ({ from }) => ({ messages: ['a', 'b'].map((name) => ({ from, to: `${name}@example.net`, text: 'x' })) }),
  createAlias: ({ domain_id, mailbox_id, count }) => ({ domain_id, mailbox_id, address: `other${count}` }),
  updateAlias: ({ mailbox_id }) => ({ mailbox_id, enabled: true, description: 'Raced' }),
  updateDomain: ({ mailbox_id }) => ({ catch_all_mailbox_id: mailbox_id }),
  createWebhook: () => ({ url: 'https://hooks.example.org/new', events: ['message.sent'] }),
  createSuppression: ({ count }) => ({ email_address: `new${count}@example.org` }),
  createApiKey: ({ mailbox_id }) => ({ name: 'Raced', scopes: ['usage:read'], mailbox_ids: [mailbox_id] }),
  updateApiKey: ({ mailbox_id }) => ({ mailbox_ids: [mailbox_id] }),
  listThreads: ({ mailbox_id }) => ({ mailbox_id }),
  listMessages: ({ mailbox_id }) => ({ mailbox_id }),
  listInboxMessages: ({ folder_id }) => ({ folder_id }),
  downloadAttachment: ({ blob_id }) => ({ blob_id }),
}

function ruleInto({ folder_id }: Ids) {
  const target = { kind: 'custom', folder_id }
  const conditions = [{ type: 'subject_contains', value: 'Race' }]
  return { name: 'Raced', conditions, actions: [{ type: 'move', target }] }
}

function requestOf({ method, path, operationId, bodyExample, body, query }: Endpoint, ids: Ids) {
  const given = OWN[operationId]?.(ids) ?? bodyExample ?? {}
  const target = path.replace(/\{(\w+)\}/g, (_, name) => encodeURIComponent(ids[name]!))
  const asked = query && !body ? `?${new URLSearchParams(given as { [name: string]: string })}` : ''
  return { method, target: target + asked, ask: body ? { body: given } : {} }
}

/** Kinds of objects that the request names, directly or through a contained object. */
function namedBy(endpoint: Endpoint, ids: Ids): Kind[] {
  const { target, ask } = requestOf(endpoint, ids)
  const text = decodeURIComponent(target) + JSON.stringify(ask)
  const names = (...members: string[]) => members.some((name) => text.includes(ids[name]!))
  const inMailbox = names('mailbox_id', 'message_id', 'thread_id', 'from', 'alias_id')
  const named: { readonly [K in Kind]: boolean } = {
    domain: names('domain_id') || names('from'),
    mailbox: inMailbox,
    folder: names('folder_id'),
    message: names('message_id', 'thread_id'),
    alias: names('alias_id'),
    webhook: names('webhook_id'),
    key: names('key_id'),
    suppression: names('email'),
  }
  return ORDER.filter((kind) => named[kind])
}

/** The object that an operation changes, so that the next one needs a new one. */
const SPENT: { readonly [operationId: string]: Kind } = {
  deleteDomain: 'domain',
  deleteMailbox: 'mailbox',
  deleteFolder: 'folder',
  moveInboxMessage: 'message',
  replaceRules: 'mailbox',
  deleteInboxMessage: 'message',
  deleteAlias: 'alias',
  deleteWebhook: 'webhook',
  deleteApiKey: 'key',
  deleteSuppression: 'suppression',
}

function faultOf({ responses, errors }: Endpoint, { status, body }: TestAnswer): string | null {
  if (status < 300) return responses.has(status) ? null : `${status} is not declared`
  // A deleted object is not found, a conflict, or an unknown reference.
  if (![404, 409, 422].includes(status)) return `${status} is no answer to a deletion`
  return errors.includes(body?.error?.code) ? null : `${body?.error?.code} is not declared`
}

t.test('an operation whose object is deleted meanwhile answers 404, 409 or 422 as declared, or has won', async (t) => {
  await forEachEngine(t, async (t, engine) => {
    const started = await startRace(t, engine)
    const { race, node, call } = started
    const world = worldOf(started)
    const met = new Map<number, number>()
    for (const [index, endpoint] of ENDPOINTS.entries()) {
      if (endpoint.scope === null) continue
      const kinds = namedBy(endpoint, await world.ids())
      for (const kind of kinds)
        for (let at = engine === 'sqlite' ? index % EVERY : 1 + (index % 3); at < PLACES_MAX; at += EVERY) {
          const { method, target, ask } = requestOf(endpoint, await world.ids())
          const answer = await race.run(
            at,
            () => world.remove(kind),
            () => node.ask(method, target, ask),
          )
          if (answer) world.forget(kind)
          const spent = SPENT[endpoint.operationId]
          if (spent) world.forget(spent)
          const type = MAKES[endpoint.operationId]
          if (answer?.status === 201 && type) await call(`${type}/set`, { destroy: [answer.body.id] })
          if (!answer) break
          met.set(answer.status, (met.get(answer.status) ?? 0) + 1)
          const fault = faultOf(endpoint, answer)
          if (fault) t.fail(`${endpoint.operationId}, ${kind} goes at ${at}: ${fault}: ${answer.text}`)
          // One place of each kind is enough on the second engine: the code above the store is the same.
          if (engine === 'postgres') break
        }
    }
    t.comment(Object.fromEntries(met))
    t.ok((met.get(404) ?? 0) > 20, 'deletions that came first')
    t.ok((met.get(200) ?? 0) > 2, 'control: deletions that came too late')
  })
})

/** Objects that operations create: they are deleted again, so that no limit of the plan is reached. */
const MAKES: { readonly [operationId: string]: string } = {
  createDomain: 'Domain',
  createMailbox: 'MailAccount',
  createAlias: 'Alias',
  createWebhook: 'Webhook',
  createApiKey: 'ApiKey',
}

t.test(
  'a batch whose mailbox is deleted meanwhile has the outcome of each message, and what it says was sent was',
  async (t) => {
    await forEachEngine(t, async (t, engine) => {
      const { race, api, node, call } = await startRace(t, engine)
      const bob = await api.mailbox('bob')
      const queued = async () => {
        const rows = await api.store.read(({ sql }) => sql.query((db) => db.selectFrom('submission').select('id')))
        return rows.length
      }
      const seen = new Set<number>()
      for (let at = 0; at < PLACES_MAX; at++) {
        const gone = await api.mailbox(`gone${at}`)
        const messages = [bob, gone, gone, bob].map(({ address }) => ({
          from: address,
          to: 'j@example.net',
          text: 'x',
        }))
        const before = await queued()
        const remove = () => call('MailAccount/set', { destroy: [gone.accountId] })
        const answer = await race.run(at, remove, () => node.ask('POST', '/v1/messages/batch', { body: { messages } }))
        if (!answer) break
        t.equal(answer.status, 200, `deleted at ${at}: ${answer.text}`)
        const statuses: number[] = answer.body.data.map(({ status }: { status: number }) => status)
        t.same([statuses[0], statuses[3]], [201, 201], 'those of the other mailbox are sent')
        for (const status of statuses.slice(1, 3)) {
          seen.add(status)
          t.ok([201, 404, 422].includes(status), `${status}`)
        }
        const sent = statuses.filter((status) => status === 201).length
        t.equal((await queued()) - before, sent, `deleted at ${at}: as many are queued as the answer says`)
        for (const { status, message } of answer.body.data)
          if (status === 201) t.match(message, { object: 'message', status: 'queued', text: 'x' })
      }
      t.ok(seen.has(201) && (seen.has(404) || seen.has(422)), [...seen].join(' '))
    })
  },
)

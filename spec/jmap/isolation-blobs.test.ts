/** Promises J2 and J3: octets and ids of other accounts, including deleted ones. */
import t from 'tap'
import { createCore } from '../../jmap/in-process-core.ts'
import type { Core } from '../../jmap/services.ts'
import { silentLogger } from '../../server/base/logger.ts'
import { openPostgres } from '../../storage/dialect/postgres.ts'
import { openStore } from '../../storage/store.ts'
import { PASSWORD, type Result, startCore, USING } from '../support/core.ts'
import { forEachEngine, placeWithSchema } from '../support/engines.ts'
import { memoryBlobs } from '../support/memory-blobs.ts'
import { mail, octets } from './mails.ts'

await forEachEngine(t, async (t, engine) => {
  const test = await startCore(t, engine)
  const { core } = test
  const foreign = await test.organizationWith('foreign.test')
  const hello = await test.mailbox('hello')
  const theirs = await foreign.mailbox('hello')

  t.test(
    "uploading the octets of another account's blob reveals nothing about it (no visible deduplication)",
    async (t) => {
      for (const bytes of [octets(mail({ subject: 'Secret' })), octets(mail({ body: 'long '.repeat(20_000) }))]) {
        const first = await core.upload(theirs.principal, theirs.accountId, 'text/plain', bytes)
        const twin = await core.upload(hello.principal, hello.accountId, 'message/rfc822', bytes)
        const other = await core.upload(
          hello.principal,
          hello.accountId,
          'message/rfc822',
          bytes.map((octet) => octet ^ 1),
        )
        const shapeOf = ({ blobId: _blobId, ...rest }: Result) => rest
        t.same(shapeOf(twin), shapeOf(other), 'the answer for octets that somebody has is that for new ones')
        t.not(twin!.blobId, first!.blobId)
        t.equal(await core.download(hello.principal, hello.accountId, first!.blobId), null)
        t.equal(await core.download(hello.principal, theirs.accountId, first!.blobId), null)
        t.same(
          (await core.download(theirs.principal, theirs.accountId, first!.blobId))?.bytes,
          bytes,
          'the owner reads it',
        )
        t.same((await core.download(hello.principal, hello.accountId, twin!.blobId))?.bytes, bytes, 'and each its own')
      }
    },
  )

  t.test('a blob of another account does not exist for import, draft and parse', async (t) => {
    const secret = await core.upload(
      theirs.principal,
      theirs.accountId,
      'message/rfc822',
      octets(mail({ subject: 'Secret' })),
    )
    const { blobId } = secret!
    const mailboxIds = { [hello.roles['inbox']!]: true }
    const imported = await hello.call('Email/import', { emails: { e: { blobId, mailboxIds } } })
    t.match(imported.notCreated.e, { type: 'invalidProperties', properties: ['blobId'] })
    const attachments = [{ blobId, type: 'text/plain' }]
    const drafted = await hello.call('Email/set', { create: { e: { mailboxIds, attachments } } })
    t.match(drafted.notCreated.e, { type: 'blobNotFound', notFound: [blobId] })
    t.same((await hello.call('Email/parse', { blobIds: [blobId] })).notFound, [blobId])
    const control = { [theirs.roles['inbox']!]: true }
    t.ok((await theirs.call('Email/import', { emails: { e: { blobId, mailboxIds: control } } })).created.e)
  })

  t.test('a mailbox account that is deleted and created again shares no id and no row with the old one', async (t) => {
    const seen = new Set<string>()
    for (let i = 0; i < 20; i++) {
      const box = await test.mailbox('again')
      const email = await box.receive(mail({ subject: `Round ${i}` }))
      const { list } = await box.call('Mailbox/get', { ids: null })
      const ids = [box.accountId, email, ...list.map(({ id }: Result) => id)]
      t.notOk(
        ids.some((id) => seen.has(id)),
        'ids are never used again',
      )
      t.equal((await box.call('Email/query', {})).ids.length, 1, 'nothing is there but its own')
      for (const id of ids) seen.add(id)
      t.ok(await core.authenticate({ kind: 'password', address: box.address, password: PASSWORD, ip: '192.0.2.1' }))
      const accountId = test.organization.accountId
      await test.request([['MailAccount/set', { accountId, destroy: [box.accountId] }]])
      t.same(await box.call('Email/get', { ids: [email] }), { type: 'accountNotFound' })
    }
  })
})

t.test(
  'on two nodes with warm caches a deleted account is gone on both, and a new one of its name exists',
  async (t) => {
    const place = await placeWithSchema(t, 'postgres')
    const blobs = memoryBlobs()
    const clock = { now: () => Date.UTC(2026, 0, 1), after: () => () => {} }
    const nodes: Core[] = []
    for (let i = 0; i < 2; i++) {
      const store = await openStore({ dialect: openPostgres({ url: place.at }), blobs, clock })
      nodes.push(await createCore({ store, clock, logger: silentLogger, verifyReservedDomains: true }))
    }
    t.teardown(() => Promise.all(nodes.map((node) => node.close())))
    const { SYSTEM } = await import('../../server/base/principal.ts')
    const [one, two] = nodes as [Core, Core]
    const ask = async (node: Core, name: string, args: Result, principal = SYSTEM): Promise<Result> => {
      const response: Result = await node.process(principal, { using: USING, methodCalls: [[name, args, 'c']] })
      return response.methodResponses[0][1]
    }
    const { accountId } = await one.createOrganization('Two nodes')
    const { created } = await ask(one, 'Domain/set', { accountId, create: { d: { name: 'example.test' } } })
    const create = { m: { domainId: created.d.id, localPart: 'again', password: PASSWORD } }
    const signIn = (node: Core) =>
      node.authenticate({ kind: 'password', address: 'again@example.test', password: PASSWORD, ip: '192.0.2.1' })
    const seen = new Set<string>()
    for (let i = 0; i < 10; i++) {
      const maker = i % 2 === 0 ? one : two
      const box = (await ask(maker, 'MailAccount/set', { accountId, create })).created.m.id as string
      t.notOk(seen.has(box), 'its id is new')
      seen.add(box)
      for (const node of nodes) {
        const principal = await signIn(node)
        t.equal(principal?.credential, box, 'the password works at once, for the new account')
        const { list } = await ask(node, 'Mailbox/get', { accountId: box, ids: null }, principal!)
        t.ok(list.length > 0)
      }
      const principal = (await signIn(two))!
      await ask(maker === one ? two : one, 'MailAccount/set', { accountId, destroy: [box] })
      for (const node of nodes) {
        t.equal(await signIn(node), null, 'the old password opens nothing')
        t.same(await ask(node, 'Mailbox/get', { accountId: box, ids: null }, principal), { type: 'accountNotFound' })
      }
    }
  },
)

import t from 'tap'
import { createCore } from '../../../jmap/in-process-core.ts'
import { Channels } from '../../../jmap/push/channels.ts'
import type { ChangedStates } from '../../../jmap/push/state-snapshot.ts'
import { ManualClock } from '../../../server/base/clock.ts'
import { silentLogger } from '../../../server/base/logger.ts'
import { SYSTEM } from '../../../server/base/principal.ts'
import { openPostgres } from '../../../storage/dialect/postgres.ts'
import { openStore } from '../../../storage/store.ts'
import { type Result, USING } from '../../support/core.ts'
import { cuttingProxy } from '../../support/cutting-proxy.ts'
import { placeWithSchema } from '../../support/engines.ts'
import { memoryBlobs } from '../../support/memory-blobs.ts'
import { stopOwnPostgres } from '../../support/postgres.ts'

t.teardown(stopOwnPostgres)

const MAIL = Buffer.from('From: a@example.org\r\nSubject: Hi\r\n\r\nHi\r\n')

t.test('two nodes on one PostgreSQL', async (t) => {
  const { at: url } = await placeWithSchema(t, 'postgres')
  const clock = new ManualClock()
  const blobs = memoryBlobs(() => clock.now())
  const node = async (at: string) => {
    const store = await openStore({ dialect: openPostgres({ url: at }), blobs, clock })
    const core = await createCore({ store, clock, logger: silentLogger, verifyReservedDomains: true })
    t.teardown(() => core.close())
    return core
  }
  const first = await node(url)
  const proxy = await cuttingProxy(t, url)
  const second = await node(proxy.url)

  const call = async (name: string, args: object): Promise<Result> => {
    const response = (await first.process(SYSTEM, {
      using: USING,
      methodCalls: [[name, args as never, 'c']],
    })) as Result
    return response.methodResponses[0][1]
  }
  const { accountId } = await first.createOrganization('Nodes')
  const domainId = (await call('Domain/set', { accountId, create: { d: { name: 'example.test' } } })).created.d.id
  const create = { m: { domainId, localPart: 'alice', password: 'Secret123' } }
  const { id, address } = (await call('MailAccount/set', { accountId, create })).created.m
  const account = first.ids.accountNumber('mailbox', id)!
  const receive = () =>
    first.ingest([{ bytes: MAIL, recipients: [{ account, address }], receivedAt: 1, mailFrom: 'a@example.org' }])

  /** A client of the second node. */
  const listen = async () => {
    const principal = (await second.authenticate({ kind: 'password', address, password: 'Secret123', ip: '::1' }))!
    const told: ChangedStates[] = []
    let wake = () => {}
    const channels = new Channels(second, clock)
    t.teardown(() => channels.closeAll())
    const listener = {
      tell(changed: ChangedStates) {
        told.push(changed)
        wake()
      },
      alert() {},
      isReady: () => true,
      end() {},
    }
    const channel = (await channels.open(principal, '::1', listener))!
    await channel.enable(null, null)
    return async () => {
      while (told.length === 0) await new Promise<void>((resolve) => (wake = resolve))
      return told.shift()!
    }
  }
  const heardOnce = (core: typeof first) =>
    new Promise<string[]>((resolve) => {
      const stop = core.onStateChange((change) => {
        if (change.account !== account) return
        stop()
        resolve(Object.keys(change.changed))
      })
    })

  await t.test('clients of one node get commits of the other', async (t) => {
    const next = await listen()
    await receive()
    const { state } = await call('Email/get', { accountId: id, ids: [] })
    t.equal((await next())[id]!['Email'], state)
  })

  await t.test(
    'a commit of another node notifies with account and types; one of the own node notifies once',
    async (t) => {
      let own = 0
      const stop = first.onStateChange(({ account: rung }) => {
        if (rung === account) own++
      })
      const heard = heardOnce(second)
      await receive()
      t.ok((await heard).includes('Email'))
      stop()
      t.equal(own, 1)
    },
  )

  await t.test('a lost session is opened again, and all listeners read everything', async (t) => {
    const next = await listen()
    const missed = new Promise<void>((resolve) => {
      const stop = second.push.onMissedChanges(() => {
        stop()
        resolve()
      })
    })
    proxy.open(false)
    await receive()
    proxy.open(true)
    await missed
    // There is a pause between two events, which this clock must be advanced for.
    clock.advance(1_000)
    t.ok((await next())[id]!['Email'])
    clock.advance(1_000)
    const heard = heardOnce(second)
    await receive()
    t.ok((await heard).includes('Email'), 'and notifications come as before')
  })
})

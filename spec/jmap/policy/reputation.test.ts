// Decision D26: the results of an organization's mail move its reputation, which limits what it may send.
import t from 'tap'
import { DEFAULT_REPUTATION } from '../../../server/base/sending-limits.ts'
import { eventsOf } from '../../../storage/repos/events.ts'
import { addToTally } from '../../../storage/repos/sending-tally.ts'
import { type Result, startCore, type TestCore } from '../../support/core.ts'
import { forEachEngine } from '../../support/engines.ts'
import { hearEvents } from '../../support/hear-events.ts'
import { sender } from '../../support/sending.ts'

const HOUR = 3_600_000
const to = (count: number) => Array.from({ length: count }, (_, i) => `r${i}@example.org`)

let domains = 0

/** A new organization in a core that all tests of an engine share. */
async function start({ core, store, clock, request, organizationWith }: TestCore) {
  const organization = await organizationWith(`r${++domains}.test`)
  await hearEvents({ request, organization: organization })
  const hello = await organization.mailbox('hello')
  const read = async (): Promise<Result> => {
    const [answer] = await request([['Reputation/get', { accountId: organization.accountId, ids: null }]])
    return (answer as Result)[1].list[0]
  }
  const told = async () => {
    const events = await store.read((reader) => eventsOf(reader, organization.account))
    return events
      .filter(({ type }) => type.startsWith('org.'))
      .map(({ type, data }) => [type, data['previous_status'], data['new_status']])
  }
  const becomes = async (recipients: number, bounces: number, complaints = 0) => {
    const tally = { recipients, bounces, complaints }
    await store.write([hello.account], (work) => addToTally(work.account(hello.account), tally))
    await core.evaluateReputations()
    return (await read()).status as string
  }
  const after = async (ms: number) => {
    clock.advance(ms)
    await core.evaluateReputations()
    return (await read()).status as string
  }
  const release = async (principal?: typeof hello.principal) => {
    const args = { accountId: organization.accountId, update: { singleton: { isReleased: true } } }
    return ((await request([['Reputation/set', args]], principal)) as Result)[0][1]
  }
  return { organization, clock, hello, send: await sender(core, hello), read, told, becomes, after, release }
}

await forEachEngine(t, async (t, engine) => {
  const shared = await startCore(t, engine)

  t.test('levels are reached by bounces or complaints, and may be skipped upwards', async (t) => {
    const { becomes, told, read } = await start(shared)
    t.equal(await becomes(99, 99), 'healthy', 'too few to judge by')
    t.match(await read(), { since: null, recipients: 99, bounceRate: null, complaintRate: null })
    t.equal(await becomes(4_851, 98), 'healthy', 'under 4 %')
    t.equal(await becomes(0, 3), 'warning', '4.04 %')
    t.match(await read(), { recipients: 4_950, bounceRate: 200 / 4_950, complaintRate: 0, isReleased: false })
    t.equal(await becomes(0, 0, 14), 'warning', '0.28 % complaints')
    t.equal(await becomes(0, 0, 11), 'suspended', '0.505 % complaints')
    t.same(await told(), [
      ['org.reputation_warning', 'healthy', 'warning'],
      ['org.sending_suspended', 'warning', 'suspended'],
    ])
  })

  t.test('throttled: fifty recipients per hour, over all protocols', async (t) => {
    const { becomes, send, clock, told } = await start(shared)
    t.equal(await becomes(100, 8), 'throttled')
    t.same(await told(), [['org.sending_throttled', 'healthy', 'throttled']])
    t.match(await send.byJmap(to(30)), { id: /^sbm_/ })
    t.match(await send.byJmap(to(21)), { type: 'rateLimit', retryAfter: 3_600 })
    t.match(await send.bySmtp(to(21)), { status: 'refused', reason: 'rateLimit' })
    t.match(await send.bySmtp(to(20)), { status: 'queued' }, 'control: what is left of the hour')
    clock.advance(HOUR)
    t.match(await send.byJmap(to(50)), { id: /^sbm_/ }, 'the next hour')
  })

  t.test('suspended: nothing is sent over any protocol, and mail still arrives', async (t) => {
    const { becomes, send, hello } = await start(shared)
    t.match(await send.byJmap(to(1)), { id: /^sbm_/ }, 'control: before')
    t.equal(await becomes(100, 12), 'suspended')
    t.match(await send.byJmap(to(1)), { type: 'forbiddenToSend' })
    t.match(await send.bySmtp(to(1)), { status: 'refused', reason: 'forbiddenToSend' })
    t.match(await hello.receive('From: a@example.org\nSubject: x\n\nx\n'), /^msg_/)
  })

  t.test('queued mail waits while suspended, and is sent at a quarter of the pace while throttled', async (t) => {
    const { becomes, after, send, organization } = await start(shared)
    const other = await start(shared)
    const each = { perOrganization: 8, organizations: [] }
    const probes = { ...each, perOrganizationForNew: 8, extra: 0, free: 100, freeForNew: 100, proven: [] }
    const bulk = { ...each, free: 100, destinations: [] }
    const room = { ...each, perDestination: 100, destinations: [], probes, bulk, isCrowded: false }
    const claimed = async () => {
      const rows = await shared.core.claimSubmissions('worker', 100, 1_000, room)
      shared.clock.advance(1_000)
      return rows.filter((row) => row.organization === organization.account).length
    }
    for (let i = 0; i < 10; i++) t.match(await send.byJmap([`q@d${i}.example`]), { id: /^sbm_/ })
    t.match(await other.send.byJmap(['q@example.org']), { id: /^sbm_/ })
    t.equal(await claimed(), 8, 'control: the usual room')
    t.equal(await becomes(100, 8), 'throttled')
    t.equal(await claimed(), 2)
    t.equal(await becomes(100, 30), 'suspended')
    t.equal(await claimed(), 0)
    await becomes(10_000, 0)
    t.equal(await after(72 * HOUR), 'healthy')
    t.equal(await claimed(), 8)
  })

  t.test('after a day below the rates of a warning the level is healthy again, in one step', async (t) => {
    const { becomes, after, told, send } = await start(shared)
    t.equal(await becomes(100, 8), 'throttled')
    t.equal(await becomes(200, 0), 'throttled', '2.7 %: calm begins')
    t.equal(await after(24 * HOUR - 1), 'throttled')
    t.equal(await after(1), 'healthy')
    t.same((await told()).at(-1), ['org.reputation_recovered', 'throttled', 'healthy'])
    t.match(await send.byJmap(to(51)), { id: /^sbm_/ })
  })

  t.test('an interrupted calm period begins again', async (t) => {
    const { becomes, after } = await start(shared)
    await becomes(100, 4)
    t.equal(await becomes(100, 0), 'warning')
    await after(12 * HOUR)
    t.equal(await becomes(100, 8), 'warning', '4 % again')
    t.equal(await becomes(200, 0), 'warning', 'calm again')
    t.equal(await after(23 * HOUR), 'warning')
    t.equal(await after(HOUR), 'healthy')
  })

  t.test('a suspension lasts three days even if the rates are calm', async (t) => {
    const { becomes, after, told } = await start(shared)
    t.equal(await becomes(100, 12), 'suspended')
    t.equal(await becomes(1_000, 0), 'suspended')
    t.equal(await after(71 * HOUR), 'suspended')
    t.equal(await after(HOUR), 'healthy')
    t.same((await told()).at(-1), ['org.reputation_recovered', 'suspended', 'healthy'])
  })

  t.test('an administrator may shorten it to a day; others may not', async (t) => {
    const { becomes, after, release, read, organization } = await start(shared)
    const { principal: key } = await shared.key({ scopes: ['organization:write', 'usage:read'] })
    const principal = { ...key, organization: organization.account }
    t.match((await release()).notUpdated.singleton, { type: 'invalidProperties' }, 'there is nothing to shorten')
    t.equal(await becomes(100, 12), 'suspended')
    await becomes(1_000, 0)
    t.match((await release(principal)).notUpdated.singleton, { type: 'forbidden' })
    t.match((await release()).updated, { singleton: null })
    t.match(await read(), { status: 'suspended', isReleased: true })
    t.equal(await after(24 * HOUR), 'healthy')
  })

  t.test('counts older than seven days are dropped', async (t) => {
    const { becomes, after, read } = await start(shared)
    t.equal(await becomes(100, 6), 'warning')
    t.equal(await after(7 * 24 * HOUR), 'warning', 'the hour itself still counts')
    await after(HOUR)
    t.equal((await read()).recipients, 0)
    t.equal(await after(24 * HOUR), 'healthy')
  })

  t.test('REPUTATION=off: no level changes and nothing is refused', async (t) => {
    const { becomes, send, told } = await start(
      await startCore(t, engine, { reputation: { ...DEFAULT_REPUTATION, isOn: false } }),
    )
    t.equal(await becomes(100, 100, 100), 'healthy')
    t.match(await send.byJmap(to(60)), { id: /^sbm_/ })
    t.same(await told(), [])
  })
})

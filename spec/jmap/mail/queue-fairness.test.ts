// Promise Q4: a slow destination, and an organization that sends much, leave room for others.
import t from 'tap'
import { EmailSubmission } from '../../../jmap/mail/submission/email-submission.type.ts'
import type { ProbeRoom, QueueRoom } from '../../../jmap/mail/submission/fair-scheduler.ts'
import { insertOutgoing } from '../../../storage/repos/outgoing.ts'
import { startCore } from '../../support/core.ts'
import { forEachEngine } from '../../support/engines.ts'

const LEASE = 60_000

await forEachEngine(t, async (t, engine) => {
  const test = await startCore(t, engine)
  const { core, clock, store } = test
  const [busy, other] = [await test.mailbox('busy'), await (await test.organizationWith('other.test')).mailbox('calm')]
  type Box = typeof busy
  const send = async (box: Box, to: string) => {
    const identityId = (await box.call('Identity/get', { ids: null })).list[0].id
    const email = { mailboxIds: { [box.roles['sent']!]: true }, from: [{ email: box.address }], to: [{ email: to }] }
    const emailId = (await box.call('Email/set', { create: { e: email } })).created.e.id
    return (await box.call('EmailSubmission/set', { create: { s: { identityId, emailId } } })).created.s.id as string
  }
  const numberOf = (id: string) => core.ids.decode(EmailSubmission, id)!.object
  /** Rows of the queue under one submission: far more destinations than any user would write to. */
  const fill = (box: Box, id: string, count: number, name: (i: number) => string) =>
    store.write([box.account], (work) =>
      insertOutgoing(
        work.account(box.account),
        numberOf(id),
        Array.from({ length: count }, (_, i) => name(i)),
        clock.now(),
      ),
    )
  const empty = () => store.write([], (unit) => unit.sql.query((db) => db.deleteFrom('outgoing')))
  const finish = async () => {
    await empty()
    await store.write([], (unit) => unit.sql.query((db) => db.updateTable('submission').set({ due_at: null })))
    const done = { status: 'sent' } as const
    await store.write([], (unit) => unit.sql.query((db) => db.updateTable('submission_recipient').set(done)))
  }
  const room = (changes: Partial<QueueRoom>, probes: Partial<ProbeRoom> = {}): QueueRoom => ({
    perDestination: 10,
    perOrganization: 100,
    destinations: [],
    organizations: [],
    isCrowded: false,
    bulk: { free: 100, destinations: [], perOrganization: 100, organizations: [] },
    ...changes,
    probes: {
      extra: 100,
      free: 100,
      freeForNew: 100,
      perOrganization: 100,
      perOrganizationForNew: 100,
      organizations: [],
      proven: [],
      ...probes,
    },
  })

  t.test('a destination gets its share, and messages behind it are found', async (t) => {
    const ids = []
    for (let i = 0; i < 15; i++) ids.push(await send(busy, 'x@tarpit.test'))
    clock.advance(1)
    await send(busy, 'x@healthy.test')
    const claimed = await core.claimSubmissions('a', 50, LEASE, room({}))
    t.equal(claimed.filter(({ destination }) => destination === 'tarpit.test').length, 10)
    t.equal(claimed.filter(({ destination }) => destination === 'healthy.test').length, 1)
    await send(busy, 'x@healthy.test')
    const next = await core.claimSubmissions('a', 50, LEASE, room({ destinations: [['tarpit.test', 0]] }))
    t.same(
      next.map(({ destination }) => destination),
      ['healthy.test'],
      'with all its share under way, the rest of it waits',
    )
    await finish()
  })

  t.test('messages behind 12,000 rows of an organization that has its share are found', async (t) => {
    const id = await send(busy, 'x@first.test')
    await fill(busy, id, 12_000, (i) => `d${i}.test`)
    clock.advance(1)
    await send(other, 'x@healthy.test')
    const full = room({ organizations: [[test.organization.account, 100]] })
    t.match(await core.claimSubmissions('b', 10, LEASE, full), [{ destination: 'healthy.test' }])
    await finish()
  })

  t.test('of two waiting organizations, the one with fewer messages under way comes first', async (t) => {
    for (let i = 0; i < 6; i++) await send(busy, `x@a${i}.test`)
    clock.advance(1)
    for (let i = 0; i < 3; i++) await send(other, `x@b${i}.test`)
    const claimed = await core.claimSubmissions('c', 6, LEASE, room({}))
    const mine = claimed.filter(({ account }) => account === busy.account)
    t.equal(mine.length, 3)
    t.equal(claimed.length, 6)
    await finish()
  })

  t.test('when no more probes are allowed, mail to destinations that answer is still found', async (t) => {
    const id = await send(busy, 'x@first.test')
    await fill(busy, id, 500, (i) => `d${i}.test`)
    clock.advance(1)
    for (const box of [busy, other]) for (const to of ['x@healthy.test', 'x@unknown.test']) await send(box, to)
    const proven = { proven: ['healthy.test'] }
    const all = await core.claimSubmissions('d', 10, LEASE, room({}, { ...proven, free: 0, freeForNew: 0 }))
    t.same(
      all.map(({ account, destination }) => `${account} ${destination}`).sort(),
      [`${busy.account} healthy.test`, `${other.account} healthy.test`].sort(),
    )
    clock.advance(1)
    await send(busy, 'x@healthy.test')
    const full = { ...proven, organizations: [[test.organization.account, 100]] } as const
    const rest = await core.claimSubmissions('d', 10, LEASE, room({}, full))
    t.same(
      rest.map(({ account, destination }) => `${account} ${destination}`).sort(),
      [`${busy.account} healthy.test`, `${other.account} unknown.test`].sort(),
      'another organization still has its probes',
    )
    await finish()
  })

  t.test('while many destinations do not answer, half of a claim is the newest mail', async (t) => {
    const old = await Promise.all(Array.from({ length: 6 }, (_, i) => send(busy, `x@a${i}.test`)))
    clock.advance(1)
    const fresh = await Promise.all(Array.from({ length: 6 }, (_, i) => send(busy, `x@b${i}.test`)))
    const claimed = await core.claimSubmissions('e', 4, LEASE, room({ isCrowded: true }))
    t.same(
      [old, fresh].map((of) => claimed.filter(({ submissionId }) => of.includes(submissionId)).length),
      [2, 2],
    )
    const next = await core.claimSubmissions('e', 4, LEASE, room({}))
    t.equal(next.filter(({ submissionId }) => old.includes(submissionId)).length, 4, 'control: else it is the oldest')
    await finish()
  })
})

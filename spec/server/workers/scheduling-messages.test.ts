import t from 'tap'
import { Failure } from '../../../server/base/errors.ts'
import { silentLogger } from '../../../server/base/logger.ts'
import { UNLIMITED_PLAN } from '../../../server/base/sending-limits.ts'
import { schedulingMessages } from '../../../server/workers/scheduling-messages.ts'
import type { Store } from '../../../storage/ports.ts'
import { type Result, startCore, type TestMailbox } from '../../support/core.ts'
import { forEachEngine } from '../../support/engines.ts'
import { sentInvitations, writeInvitations } from '../../support/invitations.ts'

const GUESTS = ['bob', 'carl', 'dora'].map((name) => `${name}@example.org`)
const LEASE_MS = 30_000

/** Creates an event with guests who do not see each other: each gets a mail of their own. */
async function invite(box: TestMailbox, guests: readonly string[] = GUESTS): Promise<string> {
  const calendar = (await box.call('Calendar/get', { ids: null })).list[0].id
  const participants = Object.fromEntries(
    guests.map((address, i) => [`p${i}`, { calendarAddress: `mailto:${address}`, roles: { attendee: true } }]),
  )
  const event = { calendarIds: { [calendar]: true }, start: '2026-06-01T09:00:00', timeZone: 'Etc/UTC', participants }
  const create = { e: { ...event, hideAttendees: true } }
  return (await box.call('CalendarEvent/set', { create, sendSchedulingMessages: true })).created.e.id
}

/** A store whose writes end at one of them, before or after its commit. */
class EndingStore {
  #left = Number.POSITIVE_INFINITY
  #commits = false
  #hasEnded = false

  end(after: number, commits: boolean): void {
    this.#left = after
    this.#commits = commits
    this.#hasEnded = false
  }

  /** Whether a write has ended since. */
  heal(): boolean {
    this.#left = Number.POSITIVE_INFINITY
    return this.#hasEnded
  }

  around(store: Store): Store {
    const write: Store['write'] = async (...args) => {
      if (this.#left-- > 0) return store.write(...args)
      this.#hasEnded = true
      if (this.#commits) await store.write(...args)
      throw new Failure('storageFull', 'the disk is full')
    }
    return new Proxy(store, {
      get: (target, name) => {
        if (name === 'write') return write
        const value = Reflect.get(target, name)
        return typeof value === 'function' ? value.bind(target) : value
      },
    })
  }
}

await forEachEngine(t, async (t, engine) => {
  t.test('a worker that ends anywhere loses no message and sends none twice', async (t) => {
    const ending = new EndingStore()
    const { mailbox, core, clock } = await startCore(t, engine, {}, { aroundStore: (store) => ending.around(store) })
    const ada = await mailbox('ada')
    for (const commits of [false, true]) {
      let cuts = 0
      for (; ; cuts++) {
        await invite(ada)
        const tasks = await core.scheduling.claim('one', 10, LEASE_MS)
        ending.end(cuts, commits)
        for (const task of tasks) await core.scheduling.send(task).catch(() => {})
        const hasEnded = ending.heal()
        clock.advance(LEASE_MS + 1)
        const sent = await sentInvitations(core)
        t.same(
          sent.map(({ to }) => to.join()),
          GUESTS,
          `cut ${cuts}`,
        )
        t.equal(await core.scheduling.nextAt(), null)
        if (!hasEnded) break
      }
      t.equal(cuts, GUESTS.length + 1, 'one write for each mail, and one for the end')
    }
  })

  t.test('what a plan does not allow is noted in the event, which stays', async (t) => {
    const plan = { ...UNLIMITED_PLAN, sends: 1 }
    const { mailbox, core } = await startCore(t, engine, { plan })
    const ada = await mailbox('ada')
    const id = await invite(ada, GUESTS.slice(0, 2))
    t.same(
      (await sentInvitations(core)).map(({ to }) => to.join()),
      [GUESTS[0]],
    )
    const [{ participants }] = (await ada.call('CalendarEvent/get', { ids: [id] })).list
    t.same(
      Object.values(participants as Result).map((one) => (one as Result).scheduleStatus ?? null),
      [null, ['5.1']],
    )
    const { list } = await ada.call('CalendarEventNotification/get', { ids: null })
    t.match(list, [{ calendarEventId: id, type: 'updated', comment: /\w/ }])
    await ada.call('CalendarEvent/set', { update: { [id]: { title: 'No mail' } } })
    await writeInvitations(core)
    t.equal(await core.scheduling.nextAt(), null, 'it is not tried again')
  })

  t.test('a deleted mailbox sends nothing more', async (t) => {
    const { mailbox, core, request, organization } = await startCore(t, engine)
    const ada = await mailbox('ada')
    await invite(ada)
    const [task] = await core.scheduling.claim('one', 10, LEASE_MS)
    await request([['MailAccount/set', { accountId: organization.accountId, destroy: [ada.accountId] }]])
    await core.scheduling.send(task!)
    t.same(await core.claimSubmissions('test', 10, LEASE_MS), [])
  })
})

t.test('the worker sends as soon as an event is stored', async (t) => {
  const { mailbox, core, clock } = await startCore(t)
  const ada = await mailbox('ada')
  const worker = schedulingMessages({ core, clock, logger: silentLogger })
  worker.start()
  t.teardown(() => worker.stop())
  await worker.settled()
  await invite(ada)
  const queued = new Promise<void>((resolve) => {
    core.onStateChange(({ changed }) => {
      if ('EmailSubmission' in changed) resolve()
    })
  })
  await queued
  await worker.settled()
  t.equal((await core.claimSubmissions('test', 10, LEASE_MS)).length, GUESTS.length)
})

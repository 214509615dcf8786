// Decisions D19, D26, D31; promise Q4: what stops the sending of a newsletter, and what it leaves to other mail
import t from 'tap'
import type { QueueRoom } from '../../../jmap/mail/submission/fair-scheduler.ts'
import { Audience } from '../../../jmap/newsletters/audience/audience.type.ts'
import { endAudience } from '../../../jmap/newsletters/audience/removal.ts'
import type { JsonObject } from '../../../server/base/json.ts'
import { NEWSLETTER_TURN_MS } from '../../../server/base/newsletter-limits.ts'
import { UNLIMITED_PLAN } from '../../../server/base/sending-limits.ts'
import { findTemplate, saveTemplate } from '../../../storage/repos/newsletter-runs.ts'
import { forEachEngine } from '../../support/engines.ts'
import { feedbackReport } from '../mail/reports/returned-mails.ts'
import { type SentCopy, startSending } from './sending-world.ts'

const HOUR = 3_600_000
const DAY = 24 * HOUR
const MONTH = 31 * DAY

const addresses = (sent: readonly SentCopy[]) => sent.map(({ to }) => to).sort()

await forEachEngine(t, async (t, engine) => {
  const world = await startSending(t, engine, { plan: { ...UNLIMITED_PLAN, name: 'Small', sends: 12 } })
  const { call, core, clock, store, desk, draft, audienceOf, schedule, state, work, deliver, events } = world

  const begin = async (record: JsonObject): Promise<string> => {
    const id = await draft(record)
    await schedule(id, 1_000)
    clock.advance(1_000)
    await work()
    return id
  }
  const single = (to: string) =>
    desk.call('Email/send', { create: { s: { email: { from: [{ email: desk.address }], to: [{ email: to }] } } } })

  t.test('other mail is claimed first, and newsletters get no more than the slots that are theirs', async (t) => {
    const many = ['s1@s.test', 's2@s.test', 's3@s.test']
    const id = await begin({ audienceId: await audienceOf(many), sendWindowHours: 1 })
    clock.advance(60_000)
    t.ok((await single('reset@s.test')).created.s, 'it is due after them')
    const room = (free: number): QueueRoom => ({
      perDestination: 10,
      destinations: [],
      perOrganization: 10,
      organizations: [],
      isCrowded: false,
      bulk: { free, destinations: [['s.test', 10]], perOrganization: 10, organizations: [] },
      probes: {
        ...{ extra: 10, free: 10, freeForNew: 10, perOrganization: 10, perOrganizationForNew: 10, organizations: [] },
        proven: ['s.test'],
      },
    })
    const claimed = async (limit: number, free: number) =>
      (await core.claimSubmissions('queue', limit, HOUR, room(free))).flatMap(({ recipients }) =>
        recipients.map(({ address }) => address),
      )
    t.same(await claimed(1, 10), ['reset@s.test'])
    t.same(await claimed(10, 0), [], 'all slots of newsletters are in use')
    t.equal((await claimed(10, 2)).length, 2, 'control: with slots they are sent')
    clock.advance(HOUR)
    t.same(addresses(await deliver()), [...many, 'reset@s.test'].sort())
    t.match(await state(id), { status: 'sent' })
  })

  t.test('the end of the plan pauses it, and it goes on in the next period when it is resumed', async (t) => {
    const many = ['q1@q.test', 'q2@q.test', 'q3@q.test', 'q4@q.test']
    const id = await begin({ audienceId: await audienceOf(many), sendWindowHours: 2 })
    const first = addresses(await deliver())
    t.equal(first.length, 2)
    for (let i = 0; i < 6; i++) await single(`o${i}@o.test`)
    t.equal((await deliver()).length, 6, 'other mail has used up the twelve of the plan')
    clock.advance(HOUR)
    await work()
    t.match(await state(id), { status: 'paused', pausedReason: 'quota', stats: { sent: 2, remaining: 2 } })
    t.same(await deliver(), [])
    t.match((await call('Newsletter/resume', { newsletterId: id })).failed, [{ key: 'account_restrictions' }])
    clock.advance(MONTH)
    t.same((await call('Newsletter/resume', { newsletterId: id })).failed, [])
    await work()
    t.same([...first, ...addresses(await deliver())].sort(), many)
    t.match(await state(id), { status: 'sent', pausedReason: null, stats: { sent: 4, remaining: 0 } })
    const told = ['scheduled', 'started', 'paused', 'sent'].map((name) => `newsletter.${name}`)
    t.same(await events(id), told)
  })

  t.test('messages that cannot be made hold up no other mail, and are sent when they can', async (t) => {
    const id = await begin({ audienceId: await audienceOf(['b1@b.test', 'b2@b.test']), sendWindowHours: 1 })
    const { account } = world.organization
    const number = world.numberOf(id)
    const kept = await store.read((reader) => findTemplate(reader, account, number))
    const replace = (text: string) =>
      store.write([account], (unit) => saveTemplate(unit.account(account), number, text))
    for (const damaged of ['{', '{}']) {
      await replace(damaged)
      await single('other@b.test')
      t.same(addresses(await deliver()), ['other@b.test'])
      clock.advance(60_000)
    }
    await replace(kept!)
    t.same(addresses(await deliver()), ['b1@b.test', 'b2@b.test'])
    t.match(await state(id), { status: 'sent' })
  })

  t.test('it fails when its audience is gone, and cannot be resumed without one', async (t) => {
    const audienceId = await audienceOf(['f1@f.test'])
    const id = await draft({ audienceId, sendWindowHours: 1 })
    await schedule(id, 1_000)
    clock.advance(1_000)
    // The turn ends with its first step: it has begun, and its recipients are not written yet.
    const stop = store.onCommit(() => clock.advance(NEWSLETTER_TURN_MS))
    await core.newsletters.run((await core.newsletters.claim('test', 1, HOUR))[0]!)
    stop()
    t.match(await state(id), { status: 'sending' })
    t.match((await call('Audience/set', { destroy: [audienceId] })).notDestroyed, {
      [audienceId]: { type: 'invalidState' },
    })
    // No method deletes it then; the repair of damaged data may.
    const { account } = world.organization
    const number = core.ids.decode(Audience, audienceId)!.object
    await store.write([account], (unit) => endAudience(unit.account(account), number))
    await work()
    t.match(await state(id), { status: 'failed', stats: { recipients: 0 } })
    t.same(await events(id), ['newsletter.scheduled', 'newsletter.started', 'newsletter.failed'])
    t.same(await deliver(), [])
    t.match((await call('Newsletter/resume', { newsletterId: id })).failed, [{ key: 'audience_consent' }])
  })

  t.test('a complaint that returns only the signed header moves the subscriber; a forged one does not', async (t) => {
    const audienceId = await audienceOf(['angry@a.test', 'calm@a.test'])
    const id = await begin({ audienceId, sendWindowHours: 1 })
    const sent = await deliver()
    const reported = async (to: string, change = (header: string) => header) => {
      const wire = (await sent.find((copy) => copy.to === to)!.wire()).replaceAll('\r\n', '\n')
      const header = change(wire.slice(0, wire.indexOf('\n\n') + 1))
      await desk.receive(feedbackReport('abuse', [], header, 'text/rfc822-headers'))
    }
    await reported('angry@a.test')
    await reported('calm@a.test', (header) => header.replace(/^Subject: .*$/m, 'Subject: Forged'))
    t.same(await world.statuses(audienceId), { 'angry@a.test': 'complained', 'calm@a.test': 'subscribed' })
    t.match(await state(id), { status: 'sent', stats: { delivered: 2, complained: 1 } })
    t.same(await events(id, 'subscriber.'), ['subscriber.complained'])
  })
})

t.test('the first day of a domain has 500 recipients, the second 1,000, and other days do not count', async (t) => {
  const { call, clock, add, audience, draft, schedule, state, work, deliver } = await startSending(t, 'sqlite')
  const many = Array.from({ length: 1_600 }, (_, i) => ({ email: `w${i}@w${i % 7}.test` }))
  const audienceId = await audience()
  for (let from = 0; from < many.length; from += 800) await add(audienceId, many.slice(from, from + 800))
  const id = await draft({ audienceId, sendWindowHours: 1 })
  const midnight = DAY - (clock.now() % DAY)
  await schedule(id, midnight)
  clock.advance(midnight)
  const days: number[] = []
  const takeDay = async (hours: readonly number[]) => {
    let count = 0
    for (const hour of hours) {
      await work()
      count += (await deliver()).length
      clock.advance(hour * HOUR)
    }
    days.push(count)
  }
  await takeDay([1, 22, 1])
  await call('Newsletter/cancel', { newsletterId: id })
  await takeDay([24 * 5])
  t.same((await call('Newsletter/resume', { newsletterId: id })).failed, [])
  await takeDay([1, 22, 1])
  await takeDay([1])
  t.same(days, [500, 0, 1_000, 100])
  t.match(await state(id), { status: 'sent', stats: { sent: 1_600 } })
})

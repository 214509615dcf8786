// Decisions D18, D19, D26, D31, D34; promise N2: the sending of newsletters, from the schedule to what becomes of each message
import t from 'tap'
import type { JsonObject } from '../../../server/base/json.ts'
import { findTemplate } from '../../../storage/repos/newsletter-runs.ts'
import { keepReputation } from '../../../storage/repos/reputations.ts'
import { forEachEngine } from '../../support/engines.ts'
import { startSending } from './sending-world.ts'

const HOUR = 3_600_000
const DAY = 24 * HOUR

await forEachEngine(t, async (t, engine) => {
  const world = await startSending(t, engine)
  const { call, clock, draft, audienceOf, schedule, state, work, deliver, events, unsubscribe, recipients } = world
  const { store, organization, numberOf } = world

  t.test('a newsletter is sent to the subscribed members of its audience at its time, once each', async (t) => {
    const audienceId = await audienceOf(['ann@a.test', 'bob@b.test', 'cid@a.test', 'gone@a.test'])
    await unsubscribe(audienceId, 'gone@a.test')
    const id = await draft({ audienceId, sendWindowHours: 1 })
    t.same((await schedule(id, HOUR)).failed, [])
    t.match(await state(id), { status: 'scheduled', stats: { recipients: 0 } })
    await work()
    t.same(await deliver(), [], 'control: its time has not come')
    clock.advance(HOUR)
    await work()
    t.match(await state(id), { status: 'sending', startedAt: /Z$/, stats: { recipients: 3, sent: 0, remaining: 3 } })
    const hasTemplate = async () =>
      (await store.read((reader) => findTemplate(reader, organization.account, numberOf(id)))) !== null
    t.equal(await hasTemplate(), true)
    await call('Newsletter/set', { update: { [id]: { archiveVisibility: 'public' } } })
    const sent = await deliver()
    t.same(sent.map(({ to }) => to).sort(), ['ann@a.test', 'bob@b.test', 'cid@a.test'])
    t.same(await deliver(), [])
    t.equal(await hasTemplate(), false, 'nothing is kept that only sending needs')
    t.match(await state(id), {
      status: 'sent',
      archiveVisibility: 'public',
      completedAt: /Z$/,
      stats: { recipients: 3, sent: 3, delivered: 3, bounced: 0, remaining: 0 },
    })
    t.same(await events(id), ['newsletter.scheduled', 'newsletter.started', 'newsletter.sent'])
    const text = sent.find(({ to }) => to === 'ann@a.test')!.text
    for (const field of [
      /^From: News <newsletter@example\.test>\r$/m,
      /^To: ann@a\.test\r$/m,
      /^Subject: Hi ann\r$/m,
      /^Reply-To: desk@example\.test\r$/m,
      /^List-Unsubscribe: <https:\/\/[^>]+\/unsubscribe\/[^>]+>\r$/m,
      /^List-Unsubscribe-Post: List-Unsubscribe=One-Click\r$/m,
      /^List-Id: <aud_\w+\.example\.test>\r$/m,
      /^Feedback-ID: nws_\w+:aud_\w+:newsletter:posthouse\r$/m,
      /^Precedence: bulk\r$/m,
      /^Message-ID: <nwr_\w+@example\.test>\r$/m,
    ])
      t.match(text, field)
    t.notMatch(text, /bob@b\.test/)
    t.same(
      (await recipients(id, 'delivered')).map(({ email }: JsonObject) => email),
      ['ann@a.test', 'bob@b.test', 'cid@a.test'],
    )
  })

  t.test('what recipients want is read again at every attempt, also of deferred mail', async (t) => {
    const audienceId = await audienceOf(['d1@d.test', 'd2@d.test', 'd3@d.test', 'd4@d.test', 'd5@d.test'])
    const id = await draft({ audienceId, sendWindowHours: 1 })
    await schedule(id, 1_000)
    clock.advance(1_000)
    await work()
    t.equal((await deliver({ defer: true })).length, 5)
    t.match(await state(id), { status: 'sending', stats: { sent: 0, remaining: 5 } })
    await unsubscribe(audienceId, 'd1@d.test')
    await call('Suppression/set', { create: { s: { email: 'd2@d.test' } } })
    const { id: third } = await world.find(audienceId, 'd3@d.test')
    await call('Subscriber/set', { destroy: [third] })
    clock.advance(DAY)
    t.same((await deliver()).map(({ to }) => to).sort(), ['d4@d.test', 'd5@d.test'])
    t.match(await state(id), { status: 'sent', stats: { recipients: 2, sent: 2, remaining: 0 } })
    const skipped = await recipients(id, 'skipped')
    t.same(
      skipped.map(({ email, reason }: JsonObject) => [email, reason]),
      [
        ['d1@d.test', 'not_mailable'],
        ['d2@d.test', 'not_mailable'],
        ['d3@d.test', 'deleted'],
      ],
    )
  })

  t.test('the pace is a share for each hour, whose beginning it waits for', async (t) => {
    const many = Array.from({ length: 9 }, (_, i) => `p${i}@p${i}.test`)
    const id = await draft({ audienceId: await audienceOf(many), sendWindowHours: 4 })
    await schedule(id, 1_000)
    clock.advance(1_000)
    const shares: number[] = []
    for (let hour = 0; hour < 4; hour++) {
      await work()
      shares.push((await deliver()).length)
      await work()
      t.same(await deliver(), [], 'not before the next hour')
      clock.advance(HOUR)
    }
    t.same(shares, [3, 3, 3, 0])
    t.equal((await state(id)).status, 'sent')
  })

  t.test('a newsletter is cancelled before and while it is sent, and resumed to those who are left', async (t) => {
    const audienceId = await audienceOf(['c1@c.test', 'c2@c.test', 'c3@c.test', 'c4@c.test'])
    const id = await draft({ audienceId, sendWindowHours: 2 })
    await schedule(id, 1_000)
    t.notOk((await call('Newsletter/cancel', { newsletterId: id })).type)
    t.match(await state(id), { status: 'draft', scheduledAt: null })
    t.equal((await call('Newsletter/cancel', { newsletterId: id })).type, 'invalidState')
    t.equal((await call('Newsletter/resume', { newsletterId: id })).type, 'invalidState')
    await schedule(id, 1_000)
    clock.advance(1_000)
    await work()
    t.equal((await call('Newsletter/set', { update: { [id]: { name: 'x' } } })).notUpdated[id].type, 'invalidState')
    t.equal((await call('Audience/set', { destroy: [audienceId] })).notDestroyed[audienceId].type, 'invalidState')
    t.equal((await deliver({ most: 1 })).length, 1)
    await call('Newsletter/cancel', { newsletterId: id })
    t.same(await deliver(), [], 'the other one of the hour is in the queue, and is not sent')
    t.match(await state(id), { status: 'cancelled', stats: { recipients: 4, sent: 1, remaining: 3 } })
    t.equal((await schedule(id, 1_000)).type, 'invalidState')
    await unsubscribe(audienceId, 'c4@c.test')
    t.same((await call('Newsletter/resume', { newsletterId: id })).failed, [])
    const rest: string[] = []
    for (let hour = 0; hour < 3; hour++) {
      await work()
      rest.push(...(await deliver()).map(({ to }) => to))
      clock.advance(HOUR)
    }
    t.same(rest.sort(), ['c2@c.test', 'c3@c.test'])
    t.match(await state(id), { status: 'sent', stats: { recipients: 3, sent: 3 } })
    t.notOk((await call('Audience/set', { destroy: [audienceId] })).notDestroyed)
    t.match(await state(id), { audienceId: null, stats: { sent: 3 } })
  })

  t.test('bounces and complaints move subscribers, with events, and count', async (t) => {
    const audienceId = await audienceOf(['ok@h.test', 'unknown@h.test', 'angry@h.test', 'late@h.test'])
    const id = await draft({ audienceId, sendWindowHours: 1 })
    await schedule(id, 1_000)
    clock.advance(1_000)
    await work()
    const refuse = { refuse: ['unknown@h.test'] }
    const sent = await deliver(refuse)
    await world.bounce(sent.find(({ to }) => to === 'late@h.test')!)
    await world.complain(sent.find(({ to }) => to === 'angry@h.test')!)
    t.match(await state(id), {
      status: 'sent',
      stats: { recipients: 4, sent: 4, delivered: 2, bounced: 2, complained: 1 },
    })
    t.same(await world.statuses(audienceId), {
      'ok@h.test': 'subscribed',
      'unknown@h.test': 'bounced',
      'angry@h.test': 'complained',
      'late@h.test': 'bounced',
    })
    t.same(await events(id, 'subscriber.'), ['subscriber.bounced', 'subscriber.bounced', 'subscriber.complained'])
  })

  t.test(
    'a wave of bounces and a bad reputation pause it; the end of its audience makes it a draft again',
    async (t) => {
      const many = Array.from({ length: 120 }, (_, i) => `w${i}@w.test`)
      const id = await draft({ audienceId: await audienceOf(many), sendWindowHours: 1 })
      await schedule(id, 1_000)
      clock.advance(1_000)
      await work()
      await deliver({ refuse: many.slice(0, 12) })
      t.match(await state(id), { status: 'paused', pausedReason: 'bounce_wave', stats: { remaining: 20 } })
      t.same(await deliver(), [])
      const reason = ['newsletter.scheduled', 'newsletter.started', 'newsletter.paused']
      t.same(await events(id), reason)
      const { store, organization } = world
      const become = (status: 'throttled' | 'healthy') =>
        store.write([organization.account], (work) =>
          keepReputation(work.account(organization.account), {
            ...{ status, since: clock.now(), calm_since: null, released_at: null },
          }),
        )
      await call('Newsletter/resume', { newsletterId: id })
      await become('throttled')
      await work()
      t.match(await state(id), { status: 'paused', pausedReason: 'reputation_throttled' })
      t.match((await call('Newsletter/resume', { newsletterId: id })).failed, [{ key: 'account_restrictions' }])
      await become('healthy')
      await call('Newsletter/resume', { newsletterId: id })
      await work()
      t.equal((await deliver()).length, 20)
      t.match(await state(id), { status: 'sent', stats: { delivered: 108, bounced: 12 } })
      const other = await draft({ audienceId: await audienceOf(['z@z.test']) })
      await schedule(other, HOUR)
      const { audienceId } = await state(other)
      await call('Audience/set', { destroy: [audienceId] })
      t.match(await state(other), { status: 'draft', scheduledAt: null, audienceId: null })
      t.match((await schedule(other, HOUR)).failed, [{ key: 'audience_consent' }])
    },
  )

  t.test('a test goes to a login only, twenty times a day', async (t) => {
    const id = await draft({})
    const test = (email: string) => call('Newsletter/testSend', { newsletterId: id, email })
    t.match(await test('ann@a.test'), { isLogin: false, messageId: null })
    t.match(await test('Desk@example.test'), { isLogin: true, failed: [], messageId: /^msg_/, sentAt: /Z$/ })
    const [sent] = await deliver()
    t.equal(sent!.to, 'desk@example.test')
    t.match(sent!.text, /^Subject: \[Test\] Hi there\r$/m)
    t.notMatch(sent!.text, /^List-/m)
    t.match(await state(id), { status: 'draft', lastTestSentAt: /Z$/, stats: { recipients: 0 } })
    for (let i = 1; i < 20; i++) t.ok((await test('desk@example.test')).messageId)
    t.equal((await test('desk@example.test')).type, 'rateLimit')
    await deliver()
  })
})

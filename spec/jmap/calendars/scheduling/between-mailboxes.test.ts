import t from 'tap'
import type { TestMailbox } from '../../../support/core.ts'
import { forEachEngine } from '../../../support/engines.ts'
import { sentInvitations } from '../../../support/invitations.ts'
import { startApi } from '../../../support/rest-api.ts'
import { eventsOf, participant } from './support.ts'

await forEachEngine(t, async (t, engine) => {
  const { ask, mailbox, core, clock } = await startApi(t, {}, engine)
  const [ada, bob] = [await mailbox('ada'), await mailbox('bob')]
  /** Local delivery of what was sent. */
  const deliver = async (to: TestMailbox) => {
    const mails = await sentInvitations(core)
    for (const { source } of mails) {
      const recipients = [{ account: to.account, address: to.address }]
      await core.ingest([{ bytes: Buffer.from(source), recipients, receivedAt: clock.now(), mailFrom: ada.address }])
    }
    clock.advance(1_000)
    return mails.length
  }
  const own = (box: TestMailbox, path: string, body: object) =>
    ask('POST', path, { body: { mailbox: box.address, ...body } })

  t.test('two mailboxes invite, answer, move and cancel by the same path as others', async (t) => {
    const made = await own(ada, '/v1/calendar/events', {
      title: 'Plan',
      start: '2026-06-01T09:00',
      timezone: 'Europe/Berlin',
      recurrence: { frequency: 'weekly', count: 3 },
      attendees: [{ email: bob.address }],
    })
    t.equal(await deliver(bob), 1)
    const [invited] = await eventsOf(bob)
    t.match(invited, { title: 'Plan', uid: made.body.uid, isOrigin: false })
    t.match(participant(invited, bob.address), { participationStatus: 'needs-action' })
    const answer = { status: 'accepted', comment: 'Gladly' }
    t.equal((await own(bob, `/v1/calendar/events/${invited.id}/respond`, answer)).status, 200)
    t.equal(await deliver(ada), 1)
    t.match(participant((await eventsOf(ada))[0], bob.address), {
      participationStatus: 'accepted',
      participationComment: 'Gladly',
    })
    t.equal(
      (await own(bob, `/v1/calendar/events/${invited.id}_20260608T090000/respond`, { status: 'declined' })).status,
      200,
    )
    await deliver(ada)
    const instance = `/v1/calendar/events/${made.body.id}_20260608T090000?mailbox=${encodeURIComponent(ada.address)}`
    t.match((await ask('GET', instance)).body.attendees, [{ email: bob.address, status: 'declined' }])
    await ask('PATCH', `/v1/calendar/events/${made.body.id}`, {
      body: { mailbox: ada.address, start: '2026-06-01T10:00' },
    })
    await deliver(bob)
    const [moved] = await eventsOf(bob)
    t.match(moved, { id: invited.id, start: '2026-06-01T10:00:00' })
    t.match(participant(moved, bob.address), { participationStatus: 'needs-action' })
    await ask('DELETE', `/v1/calendar/events/${made.body.id}?mailbox=${encodeURIComponent(ada.address)}`)
    await deliver(bob)
    t.match(await eventsOf(bob), [{ id: invited.id, status: 'cancelled' }])
    t.same(await eventsOf(ada), [])
  })
})

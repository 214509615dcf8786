// Promise Q6: what other servers reply is octets of strangers. It is stored as text, and nothing is stuck by it.
import { setImmediate as turn } from 'node:timers/promises'
import t from 'tap'
import { SMTP_REPLY_MAX_CHARS } from '../../../server/base/outbound-limits.ts'
import { eventsOf } from '../../../storage/repos/events.ts'
import { startSending } from '../../jmap/newsletters/sending-world.ts'
import { startCore } from '../../support/core.ts'
import { forEachEngine } from '../../support/engines.ts'
import { hearEvents } from '../../support/hear-events.ts'
import { relayQueue } from '../../support/relay-queue.ts'
import { sender } from '../../support/sending.ts'
import { startPeer } from '../../support/smtp-peer.ts'

const utf8 = (text: string) => Buffer.from(text).toString('latin1')

/** Octets behind `550 5.1.1 `, by recipient. */
const REPLIES: { readonly [address: string]: string } = {
  'plain@out.test': 'No such user',
  'nul@out.test': '\0 gone\0',
  'octets@out.test': '\xff\xfe \xc3( \xed\xa0\x80',
  'cut@out.test': utf8(`x${'\u{1f600}'.repeat(SMTP_REPLY_MAX_CHARS)}`),
  'terminal@out.test': utf8('\x1b[2J\x07\u2028\u202e\u0085'),
}
const ADDRESSES = Object.keys(REPLIES)

await forEachEngine(t, async (t, engine) => {
  t.test('each reply is stored as one line of text, its address suppressed, and the sender notified', async (t) => {
    const started = await startCore(t, engine)
    const { core, clock, mailbox, request, organization, store } = started
    await hearEvents(started)
    const box = await mailbox('hello')
    const peer = await startPeer(t, {
      octets: true,
      reply: (line) => {
        const [, address = ''] = /^RCPT TO:<([^>]*)>/.exec(line) ?? []
        return REPLIES[address] === undefined ? null : `550 5.1.1 ${REPLIES[address]}`
      },
    })
    const queue = relayQueue(t, { core, clock }, peer.port)
    const { id } = await (await sender(core, box)).byJmap(ADDRESSES)
    queue.start()
    const statuses = async () => (await box.call('EmailSubmission/get', { ids: [id] })).list[0].deliveryStatus
    while ((await core.nextSubmissionAt()) !== null) await turn()
    const told = await statuses()
    for (const address of ADDRESSES) {
      const { delivered, smtpReply } = told[address]
      t.equal(delivered, 'no', address)
      t.match(smtpReply, /^550 5\.1\.1/, address)
      t.ok(smtpReply.isWellFormed(), address)
      t.notMatch(smtpReply, /\p{Cc}|\u2028/u, address)
    }
    t.equal(told['plain@out.test'].smtpReply, '550 5.1.1 No such user', 'control')
    const events = await store.read((reader) => eventsOf(reader, organization.account))
    const bounces = events.filter(({ type }) => type === 'message.bounced')
    t.equal(bounces.length, ADDRESSES.length)
    for (const { data } of bounces)
      t.ok(String(data['diagnostic']).isWellFormed(), 'readers of JSON refuse half characters')
    const accountId = organization.accountId
    const [answer] = await request([['Suppression/get', { accountId, ids: null }]])
    const { list } = answer![1] as { list: { email: string }[] }
    t.same(list.map(({ email }) => email).toSorted(), ADDRESSES.toSorted())
    const inbox = { inMailbox: box.roles['inbox']! }
    t.equal((await box.call('Email/query', { filter: inbox })).ids.length, 1, 'one notification')
  })

  t.test('a newsletter goes on through replies that no database holds as they are', async (t) => {
    const world = await startSending(t, engine, { hasNewsletterPace: false, hasNewsletterWarmUp: false })
    const addresses = ['a@out.test', 'b@out.test', 'c@out.test', 'd@out.test']
    const id = await world.draft({ audienceId: await world.audienceOf(addresses) })
    await world.schedule(id, 1_000)
    world.clock.advance(1_000)
    await world.work()
    await world.deliver({ defer: true, reply: '451 4.7.1 \0 \ud83d later \udc00' })
    world.clock.advance(600_000)
    const refuse = addresses.slice(1)
    await world.deliver({ refuse, reply: '550 5.1.1 \0 \ud83d gone \udc00' })
    t.match(await world.state(id), { status: 'sent', stats: { delivered: 1, bounced: 3, remaining: 0 } })
    const reasons = (await world.recipients(id, 'bounced')).map(({ reason }) => reason)
    t.equal(reasons.length, 3)
    for (const reason of reasons) t.match(reason, /^550 5\.1\.1 . . gone ./u)
    t.equal(await world.core.nextSubmissionAt(), null)
  })
})

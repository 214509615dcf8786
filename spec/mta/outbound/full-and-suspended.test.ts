// A sender whose mailbox is full or suspended still gets a failure notice, and the submission ends: nothing stays in the queue.
import { setImmediate as turn } from 'node:timers/promises'
import t from 'tap'
import { startCore, type TestMailbox } from '../../support/core.ts'
import { relayQueue } from '../../support/relay-queue.ts'
import { startPeer } from '../../support/smtp-peer.ts'

t.test('notifications to mailboxes that accept no mail', async (t) => {
  const { core, clock, store, mailbox } = await startCore(t, 'sqlite', { mailboxStorageBytes: 3_000 })
  const peer = await startPeer(t, { reply: (line) => (line.startsWith('RCPT') ? '550 5.1.1 no such person' : null) })
  const queue = relayQueue(t, { core, clock }, peer.port)

  /** Sends a message that will be refused, does `meanwhile`, then runs the queue; returns the submission and the reports in the inbox. */
  const fail = async (box: TestMailbox, meanwhile: () => Promise<unknown>) => {
    // A different one for each test: a recipient that is gone is suppressed for the whole organization.
    const gone = `gone-from-${box.address}`.replace('example.test', 'out.test')
    const create = {
      e: {
        mailboxIds: { [box.roles['sent']!]: true },
        from: [{ email: box.address }],
        to: [{ email: gone }],
        subject: 'Refused',
      },
    }
    const emailId = (await box.call('Email/set', { create })).created.e.id
    const identityId = (await box.call('Identity/get', { ids: null })).list[0].id
    const submitted = await box.call('EmailSubmission/set', { create: { s: { identityId, emailId } } })
    const { id } = submitted.created.s
    await meanwhile()
    queue.start()
    queue.wake()
    const read = async () => (await box.call('EmailSubmission/get', { ids: [id] })).list[0]
    while ((await read()).deliveryStatus[gone].delivered === 'queued') await turn()
    const { ids } = await box.call('Email/query', { filter: { inMailbox: box.roles['inbox']!, subject: 'delivered' } })
    return { submission: await read(), reports: ids as string[] }
  }

  t.test('a suspended mailbox gets its notification, and can read it afterwards', async (t) => {
    const box = await mailbox('paused')
    const { submission, reports } = await fail(box, () =>
      store.write([box.account], (unit) =>
        unit.sql.query((db) => db.updateTable('account').set({ suspended_at: unit.now }).where('id', '=', box.account)),
      ),
    )
    t.match(submission.deliveryStatus['gone-from-paused@out.test'], {
      delivered: 'no',
      smtpReply: '550 5.1.1 no such person',
    })
    t.equal(reports.length, 1)
    const [email] = (await box.call('Email/get', { ids: reports, properties: ['blobId'] })).list
    t.same(submission.dsnBlobIds, [email.blobId])
    t.equal(await core.nextSubmissionAt(), null)
  })

  t.test('a full mailbox gets its notification', async (t) => {
    const box = await mailbox('full')
    const { submission, reports } = await fail(box, async () => {
      const [{ size }] = (await box.call('Email/get', { ids: null, properties: ['size'] })).list
      await box.receive(`Subject: filler\n\n${'x'.repeat(3_000 - size - 30)}\n`)
    })
    t.equal(submission.deliveryStatus['gone-from-full@out.test'].delivered, 'no')
    t.equal(reports.length, 1)
    t.equal(submission.dsnBlobIds.length, 1)
    t.equal(await core.nextSubmissionAt(), null)
  })
})

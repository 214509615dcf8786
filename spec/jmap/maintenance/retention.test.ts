import t from 'tap'
import { BLOB_KEEP_MS, MAILBOX_RETENTION_MS } from '../../../server/base/limits.ts'
import { startCore } from '../../support/core.ts'
import { forEachEngine } from '../../support/engines.ts'
import { mail } from '../mails.ts'

await forEachEngine(t, async (t, engine) => {
  const { core, store, clock, mailbox, organization, request } = await startCore(t, engine)

  t.test('the content of a deleted mailbox is kept for a week, then erased; others stay (decision D8)', async (t) => {
    const [brief, other] = [await mailbox('brief'), await mailbox('other')]
    for (const box of [brief, other]) {
      await box.receive(mail({ subject: 'Kept', body: box.address }))
      const email = { to: [{ email: 'ann@example.org' }], subject: 'Sent' }
      await box.call('Email/send', { create: { m: { email, tags: { a: 'b' } } } })
      await box.call('Email/query', { filter: { text: 'kept' } })
      await box.receive(mail({ subject: 'Not in the index yet', body: box.address }))
    }
    const rows = (account: number) =>
      store.read(async ({ sql }) => {
        const counts = []
        for (const table of ['email', 'mailbox', 'thread', 'submission', 'account_blob', 'change'] as const) {
          const found = await sql.query((db) => db.selectFrom(table).select('account').where('account', '=', account))
          counts.push(found.length)
        }
        return counts
      })
    const [before, others] = [await rows(brief.account), await rows(other.account)]
    await request([['MailAccount/set', { accountId: organization.accountId, destroy: [brief.accountId] }]])
    clock.advance(MAILBOX_RETENTION_MS)
    t.equal((await core.maintenance.run()).mailboxes, 0)
    t.same(await rows(brief.account), before, 'not before its time')
    clock.advance(1)
    t.equal((await core.maintenance.run()).mailboxes, 1)
    t.same(await rows(brief.account), [0, 0, 0, 0, 0, 0])
    t.same(await rows(other.account), others)
    t.equal((await other.call('Email/query', { filter: { text: 'kept' } })).ids.length, 1)
    clock.advance(BLOB_KEEP_MS + 1)
    t.equal((await core.maintenance.run()).mailboxes, 0, 'once')
    t.ok((await core.sweep()).contents > 0)
  })
})

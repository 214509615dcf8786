/** Faults that the model test has found, each as the smallest case. */
import t from 'tap'
import { startCore } from '../../support/core.ts'
import { forEachEngine } from '../../support/engines.ts'
import { mail } from '../mails.ts'

await forEachEngine(t, async (t, engine) => {
  const { mailbox } = await startCore(t, engine)

  t.test(
    'a reply joins the older of two threads that contain its parent, and the other one when that is destroyed',
    async (t) => {
      const box = await mailbox('threads')
      const threadOf = async (id: string) =>
        (await box.call('Email/get', { ids: [id], properties: ['threadId'] })).list[0].threadId as string
      const older = await box.receive(mail({ id: 'root@x' }))
      const newer = await box.receive(mail({ id: 'late@x' }))
      const both = await box.receive(mail({ id: 'both@x', references: ['root@x', 'late@x'] }))
      t.not(await threadOf(older), await threadOf(newer))
      t.equal(await threadOf(both), await threadOf(older))
      const first = await box.receive(mail({ id: 'a@x', inReplyTo: 'late@x' }))
      t.equal(await threadOf(first), await threadOf(older), 'an email of the older thread names it, too')
      await box.call('Email/set', { destroy: [newer] })
      const second = await box.receive(mail({ id: 'b@x', inReplyTo: 'late@x' }))
      t.equal(await threadOf(second), await threadOf(older), 'also when the thread of that message has ended')
      const stranger = await box.receive(mail({ id: 'c@x', inReplyTo: 'other@x' }))
      t.not(await threadOf(stranger), await threadOf(older))
    },
  )
})

// Decisions D14, D27: one send for each recipient, admitted as a whole, over every protocol.
import t from 'tap'
import { UNLIMITED_PLAN } from '../../../server/base/sending-limits.ts'
import { startCore } from '../../support/core.ts'
import { forEachEngine } from '../../support/engines.ts'
import { sender } from '../../support/sending.ts'

const plan = { ...UNLIMITED_PLAN, name: 'Small', sends: 10 }
const to = (count: number) => Array.from({ length: count }, (_, i) => `r${i}@example.org`)

await forEachEngine(t, async (t, engine) => {
  const { core, clock, organizationWith } = await startCore(t, engine, { plan })
  t.test("no more than the plan's remainder is sent, over any protocol", async (t) => {
    const { mailbox } = await organizationWith('first.test')
    const [hello, other] = [await mailbox('hello'), await mailbox('other')]
    const [ours, theirs] = [await sender(core, hello), await sender(core, other)]
    t.match(await ours.byJmap(to(6)), { id: /^sbm_/ })
    const quota = { resource: 'sends', used: 6, limit: 10, plan: 'Small' }
    const description = 'Monthly send limit reached: 6 of 10 on the Small plan.'
    t.same(
      await theirs.byJmap(to(5)),
      { type: 'overQuota', description, quota },
      'of the whole organization, all or none',
    )
    t.match(await theirs.bySmtp(to(5)), { status: 'refused', reason: 'overQuota', description })
    t.match(await theirs.bySmtp(to(4)), { status: 'queued' }, 'control: what fits is sent')
    t.match(await ours.byJmap(to(1)), { type: 'overQuota' })
    const elsewhere = await (await organizationWith('elsewhere.test')).mailbox('hello')
    t.match(await (await sender(core, elsewhere)).byJmap(to(10)), { id: /^sbm_/ }, 'another organization has its own')
    clock.advance(Date.UTC(2026, 1, 1) - clock.now() - 1)
    t.match(await ours.byJmap(to(1)), { type: 'overQuota' }, 'the last moment of the month')
    clock.advance(1)
    t.match(await ours.byJmap(to(10)), { id: /^sbm_/ }, 'the first of the next')
  })

  t.test('a refused message is not counted', async (t) => {
    const { mailbox } = await organizationWith('second.test')
    const send = await sender(core, await mailbox('hello'))
    await mailbox('boss')
    for (let i = 0; i < 5; i++) t.match(await send.bySmtp(to(3), 'boss@second.test'), { reason: 'forbiddenFrom' })
    t.match(await send.byJmap(to(10)), { id: /^sbm_/ })
  })

  t.test('many simultaneous sends get no more than the remainder', async (t) => {
    const { mailbox } = await organizationWith('third.test')
    const boxes = await Promise.all(['a', 'b', 'c', 'd'].map(mailbox))
    const senders = await Promise.all(boxes.map((box) => sender(core, box)))
    const sends = Array.from({ length: 24 }, (_, i) => senders[i % 4]!.bySmtp(to(1)))
    const answers = await Promise.all(sends)
    t.equal(answers.filter(({ status }) => status === 'queued').length, 10)
  })

  t.test('without a plan there is no limit', async (t) => {
    const { core, mailbox } = await startCore(t, engine)
    const send = await sender(core, await mailbox('hello'))
    for (let i = 0; i < 3; i++) t.match(await send.bySmtp(to(10)), { status: 'queued' })
  })
})

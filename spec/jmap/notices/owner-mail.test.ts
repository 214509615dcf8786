// Decision D27: owners get mail at 80 % of the sends, 90 % of the mailboxes and 100 % of anything, once in a period.
import t from 'tap'
import { UNLIMITED_PLAN } from '../../../server/base/sending-limits.ts'
import { type Result, startCore, type TestCore } from '../../support/core.ts'
import { forEachEngine } from '../../support/engines.ts'
import { sender } from '../../support/sending.ts'
import { outgoing, textOf } from '../delivery/support.ts'

const DAY = 86_400_000
const to = (count: number) => Array.from({ length: count }, (_, i) => `r${i}@example.org`)

/** Letters queued since the last call: recipient and text. */
async function letters(core: TestCore) {
  const queued = (await outgoing(core)).filter(({ mailFrom }) => mailFrom === '')
  return queued.map((one) => ({ to: one.recipients.map(({ address }) => address), ...textOf(one) }))
}

await forEachEngine(t, async (t, engine) => {
  const plan = { ...UNLIMITED_PLAN, name: 'Small', sends: 10, mailboxes: 10, aliases: 0 }
  const test = await startCore(t, engine, { plan, hasPlanLimits: true })
  const { core, clock, mailbox, organization, request } = test
  const hello = await mailbox('hello')
  const send = await sender(core, hello)
  const set = async (patch: object): Promise<Result> => {
    const { accountId } = organization
    const [answer] = await request([['Organization/set', { accountId, update: { [accountId]: patch } } as never]])
    return answer![1]
  }

  t.test('at 80 % of the sends the oldest mailbox gets a mail, once, with any number of checks', async (t) => {
    await send.byJmap(to(7))
    await core.mailOwners()
    t.same(await letters(test), [], 'not at 70 %')
    await send.byJmap(to(1))
    await Promise.all([core.mailOwners(), core.mailOwners(), core.mailOwners()])
    const [letter, ...more] = await letters(test)
    t.same(more, [])
    t.same(letter!.to, [hello.address])
    t.match(letter!.header, /From: Posthouse <postmaster@example\.test>/)
    t.match(letter!.header, /Subject: The Small plan is nearly used up/)
    t.match(letter!.header, /Auto-Submitted: auto-generated/)
    t.match(letter!.body, /messages sent: 8 of 10 \(80 % or more\)[\s\S]*anew from 2026-02-01/)
    await core.mailOwners()
    t.same(await letters(test), [])
  })

  t.test('at 100 % it gets another, and a new one in the next period', async (t) => {
    await send.byJmap(to(2))
    await core.mailOwners()
    t.match(await letters(test), [{ header: /is used up/, body: /10 of 10 \(all\)/ }])
    clock.advance(31 * DAY)
    await core.mailOwners()
    t.same(await letters(test), [], 'sends begin anew')
    await send.byJmap(to(10))
    await core.mailOwners()
    t.match(await letters(test), [{ body: /10 of 10 \(all\)/ }], 'one letter for both thresholds')
  })

  t.test("at 90 % of the mailboxes the owner's address gets a mail", async (t) => {
    t.match((await set({ ownerEmail: 'nobody' })).notUpdated, {
      [organization.accountId]: { type: 'invalidProperties' },
    })
    t.ok((await set({ ownerEmail: 'boss@example.net' })).updated)
    for (let i = 2; i <= 8; i++) await mailbox(`box${i}`)
    await core.mailOwners()
    t.same(await letters(test), [], 'not at 80 %')
    await mailbox('box9')
    await core.mailOwners()
    t.match(await letters(test), [{ to: ['boss@example.net'], body: /- mailboxes: 9 of 10 \(90 % or more\)/ }])
  })
})

t.test('without limits no mail is sent', async (t) => {
  const test = await startCore(t, 'sqlite', { hasPlanLimits: false })
  const send = await sender(test.core, await test.mailbox('hello'))
  await send.byJmap(to(20))
  await test.core.mailOwners()
  t.same(await letters(test), [])
})

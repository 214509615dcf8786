import t from 'tap'
import { startCore } from '../../support/core.ts'
import { forEachEngine } from '../../support/engines.ts'
import { ANY_CREDENTIALS, fakeShop } from '../../support/fake-shop.ts'

await forEachEngine(t, async (t, engine) => {
  const { dnsProviders } = fakeShop()
  const test = await startCore(t, engine, {}, { dnsProviders })
  const { core, organization, request } = test
  const other = await test.organizationWith('other.test')

  /** A domain whose records have to be written. */
  const dueDomain = async (accountId: string, name: string) => {
    const update = { dnsCredentials: ANY_CREDENTIALS }
    const [made] = await request([['Domain/set', { accountId, create: { d: { name } } }]])
    // biome-ignore lint/suspicious/noExplicitAny: an answer that the test looks into
    const { id } = (made as any)[1].created.d
    await request([['Domain/set', { accountId, update: { [id]: update } }]])
    await request([['Domain/rotateDkim', { accountId, ids: [id] }]])
  }

  t.test(
    'records of one organization are written one domain at a time, so that slow ones hold up no other',
    async (t) => {
      for (const name of ['one.org', 'two.org', 'three.org']) await dueDomain(organization.accountId, name)
      await dueDomain(other.accountId, 'four.org')
      const { claim, run } = core.domainRecords
      const first = await claim('test', 10, 60_000)
      t.same(first.map(({ account }) => account).toSorted(), [organization.account, other.account].toSorted())
      t.same(await claim('test', 10, 60_000), [], 'while they are under way')
      for (const task of first) await run(task)
      const second = await claim('test', 10, 60_000)
      t.same(
        second.map(({ account }) => account),
        [organization.account],
      )
      for (const task of second) await run(task)
      const [last, ...more] = await claim('test', 10, 60_000)
      t.equal(last?.account, organization.account)
      t.same(more, [])
      await run(last!)
      t.same(await claim('test', 10, 60_000), [])
    },
  )
})

// Queues of rows that are due: when the next one may be claimed
import t from 'tap'
import type { Store } from '../../../storage/ports.ts'
import { claimRows, nextClaimAt } from '../../../storage/repos/claim-rows.ts'
import { insertDraftRequest } from '../../../storage/repos/draft-requests.ts'
import { forEachEngine, freshStore } from '../../support/engines.ts'
import { newAccount } from '../accounts.ts'
import { explaining } from '../query-plans.ts'

async function queue(store: Store, account: number, dueAt: readonly number[]): Promise<void> {
  await store.write([account], async (work) => {
    const unit = work.account(account)
    for (const due_at of dueAt) await insertDraftRequest(unit, { id: unit.nextObject(), email: 1, data: '{}', due_at })
  })
}

await forEachEngine(t, async (t, engine) => {
  t.test('the next row is free, or its lease ends first', async (t) => {
    const { store } = await freshStore(t, engine)
    const account = await newAccount(store)
    const next = () => store.read((reader) => nextClaimAt(reader, 'draft_request'))
    const claim = (now: number, limit: number, lease: string, until: number) =>
      store.write([], (unit) => claimRows(unit.sql, 'draft_request', { now, limit, lease, until }))
    t.equal(await next(), null)
    await queue(store, account, [10, 20, 30, 40])
    t.equal(await next(), 10)
    t.equal((await claim(20, 2, 'a', 35)).length, 2)
    t.equal(await next(), 30, 'a free row before the leases end')
    t.equal((await claim(30, 1, 'b', 90)).length, 1)
    t.equal(await next(), 35, 'the end of the leases before a free row')
    t.equal((await claim(50, 4, 'c', 70)).length, 3)
    t.equal(await next(), 70, 'all are leased: the lease that ends first')
  })
})

t.test('it does not read the whole queue', async (t) => {
  const { store } = await freshStore(t, 'sqlite')
  await store.read(async (reader) => {
    for (const queue of ['draft_request', 'domain_check', 'domain_work', 'billing', 'import', 'meeting'] as const) {
      const steps: string[] = []
      await nextClaimAt(await explaining(reader, steps), queue)
      const ofQueue = steps.filter((step) => step.includes(` ${queue} `))
      t.match(ofQueue, [/USING INDEX \w+_due/, /USING INDEX \w+_due/], steps.join('; '))
      t.notMatch(steps.join('\n'), /TEMP B-TREE/, `${queue}: in the order of the index`)
    }
  })
})

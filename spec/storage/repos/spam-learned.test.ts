import t from 'tap'
import {
  countTokens,
  forgetTokens,
  keepLearned,
  learnedAs,
  spamTokensAfter,
  uncountTokens,
} from '../../../storage/repos/spam-learned.ts'
import { forEachEngine, freshStore } from '../../support/engines.ts'
import { newAccount } from '../accounts.ts'

await forEachEngine(t, async (t, engine) => {
  const { store } = await freshStore(t, engine)
  const tokens = async (account: number) =>
    (await store.read((reader) => spamTokensAfter(reader, account, -1, 10_000))).map(({ token, spam, ham }) => [
      token,
      spam,
      ham,
    ])

  t.test('tokens are counted by kind, and counts never fall below zero', async (t) => {
    const account = await newAccount(store)
    await store.write([account], async (work) => {
      const unit = work.account(account)
      await countTokens(unit, [1, 2, 4_294_967_295], 'spam', 10)
      await countTokens(unit, [2], 'ham', 10)
      await uncountTokens(unit, [1, 2, 3], 'spam')
      await uncountTokens(unit, [1], 'spam')
    })
    t.same(await tokens(account), [
      [1, 0, 0],
      [2, 0, 1],
      [4_294_967_295, 1, 0],
    ])
    t.same(await tokens(await newAccount(store)), [])
  })

  t.test('more tokens than one statement accepts are all counted', async (t) => {
    const account = await newAccount(store)
    const many = Array.from({ length: 1_201 }, (_, i) => i + 1)
    await store.write([account], (work) => countTokens(work.account(account), many, 'ham', 1))
    t.equal((await tokens(account)).length, many.length)
  })

  t.test('tokens that were learned long ago are deleted, then the oldest and rarest beyond the limit', async (t) => {
    const account = await newAccount(store)
    const hash = Buffer.alloc(32, 1)
    await store.write([account], async (work) => {
      const unit = work.account(account)
      await countTokens(unit, [1], 'spam', 9)
      await keepLearned(unit, hash, 'spam', 9)
      await countTokens(unit, [2, 3], 'spam', 10)
      await countTokens(unit, [3], 'spam', 10)
      await countTokens(unit, [4], 'ham', 11)
    })
    const forget = (before: number, keep: number) =>
      store.write([account], (work) => forgetTokens(work.account(account), before, keep))
    t.equal(await forget(9, 4), false)
    t.equal(await store.read((reader) => learnedAs(reader, account, hash)), 'spam')
    t.equal(await forget(10, 3), true)
    t.equal(await store.read((reader) => learnedAs(reader, account, hash)), null)
    t.same(
      (await tokens(account)).map(([token]) => token),
      [2, 3, 4],
    )
    t.equal(await forget(10, 2), true)
    t.same(
      (await tokens(account)).map(([token]) => token),
      [3, 4],
    )
  })
})

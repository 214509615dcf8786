import t from 'tap'
import { changedSince, writePushState } from '../../../jmap/push/push-state.ts'
import { PUSH_STATE_ACCOUNTS, PUSH_STATE_MAX_CHARS } from '../../../server/base/push-limits.ts'

const positions = (count: number) => new Map(Array.from({ length: count }, (_, i) => [i * 7 + 1, i * 1_000]))

t.test('with few accounts exactly the changed ones are reported, with the last seen change', async (t) => {
  const before = positions(PUSH_STATE_ACCOUNTS)
  const state = writePushState(before)
  t.same(changedSince(state, before), new Map())
  const now = new Map(before)
    .set(8, 2 ** 40)
    .set(15, 2_001)
    .set(99_999, 5)
  t.same(
    changedSince(state, now),
    new Map([
      [8, 1_000],
      [15, 2_000],
      [99_999, -1],
    ]),
  )
})

t.test('with many accounts the changed ones are reported, and few others', async (t) => {
  const before = positions(5_000)
  const state = writePushState(before)
  t.ok(state.length < 400, 'it stays short')
  t.same(changedSince(state, before), new Map())
  const told = changedSince(state, new Map(before).set(8, 77))
  t.equal(told.get(8), -1)
  t.ok(told.size <= Math.ceil(5_000 / PUSH_STATE_ACCOUNTS) + 1)
})

t.test('an account that is deleted, or behind its last seen change, does not hide the others', async (t) => {
  const state = writePushState(
    new Map([
      [1, 10],
      [2, 20],
    ]),
  )
  t.same(changedSince(state, new Map([[2, 21]])), new Map([[2, 20]]))
  t.same(changedSince(state, new Map([[2, 5]])), new Map([[2, -1]]), 'a backup was restored')
})

t.test('a foreign state reports everything', async (t) => {
  const now = positions(3)
  for (const text of ['', 'x', 'a/', 'g', 'gAAAA', 'a'.repeat(PUSH_STATE_MAX_CHARS + 1), 'a_w', 'b123'])
    t.equal(changedSince(text, now).size, 3, text.slice(0, 9))
})

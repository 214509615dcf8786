// Items that come together go in one call.
import t from 'tap'
import { Batcher } from '../../../mta/smtp/batcher.ts'

/** A batcher whose calls wait until they are answered. */
function heldBatcher(calls?: number) {
  const open: { readonly items: readonly number[]; answer(): void }[] = []
  const run = (items: number[]) =>
    new Promise<number[]>((resolve) => open.push({ items, answer: () => resolve(items.map((item) => -item)) }))
  return { open, batcher: new Batcher(run, calls === undefined ? {} : { calls }) }
}

const turn = () => new Promise((resolve) => setImmediate(resolve))

t.test('items of one turn go in one call, each with its own result', async (t) => {
  const { open, batcher } = heldBatcher()
  const answers = Promise.all([batcher.add(1), batcher.add(2)])
  await turn()
  t.same(
    open.map(({ items }) => items),
    [[1, 2]],
  )
  open[0]!.answer()
  t.same(await answers, [-1, -2])
})

t.test('at the maximum number of calls, items wait and then go together', async (t) => {
  const { open, batcher } = heldBatcher(1)
  const answers = [batcher.add(1)]
  await turn()
  for (const item of [2, 3]) {
    answers.push(batcher.add(item))
    await turn()
  }
  t.equal(open.length, 1)
  open[0]!.answer()
  await answers[0]
  await turn()
  t.same(open[1]?.items, [2, 3])
  open[1]!.answer()
  t.same(await Promise.all(answers), [-1, -2, -3])
})

t.test('control: without a limit no item waits', async (t) => {
  const { open, batcher } = heldBatcher()
  for (const item of [1, 2]) {
    void batcher.add(item)
    await turn()
  }
  t.equal(open.length, 2)
})

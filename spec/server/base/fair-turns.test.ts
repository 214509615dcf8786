import t from 'tap'
import { FairTurns } from '../../../server/base/fair-turns.ts'

t.test('works of owners take turns, one at a time, and too many are refused', async (t) => {
  const turns = new FairTurns(3, 4)
  const done: string[] = []
  let running = 0
  const work = (name: string) => async () => {
    t.equal(++running, 1)
    await new Promise(setImmediate)
    running--
    done.push(name)
    return name
  }
  const [a, b, c] = [1, 2, 3]
  const answers = ['a0', 'a1', 'a2', 'a3', 'a4', 'b1', 'c1'].map((name) =>
    turns.within({ a, b, c }[name[0] as 'a']!, work(name)),
  )
  t.same(await Promise.all(answers), ['a0', 'a1', 'a2', 'a3', null, 'b1', null])
  t.same(done, ['a0', 'a1', 'b1', 'a2', 'a3'], 'the first of the second owner waits for one of the other')
  await t.rejects(
    turns.within(a, async () => {
      throw new Error('failed')
    }),
    { message: 'failed' },
  )
  t.equal(await turns.within(c, work('c2')), 'c2', 'a failure ends its turn')
})

import t from 'tap'
import { ManualClock } from '../../../server/base/clock.ts'
import { DIVERTED_KINDS, DIVERTED_MS } from '../../../server/base/reading-limits.ts'
import { DivertedRequests } from '../../../server/threads/diverted-requests.ts'

function begin() {
  const clock = new ManualClock()
  return { clock, diverted: new DivertedRequests(clock) }
}

t.test('a diverted search does not divert the lists of its credential', async (t) => {
  const { diverted } = begin()
  diverted.add('key1', 'search')
  t.equal(diverted.includes('key1', 'search'), true)
  t.equal(diverted.includes('key1', 'list'), false)
  t.equal(diverted.includes('key2', 'search'), false, 'of another credential')
})

t.test('after a while it starts beside the sockets again', async (t) => {
  const { clock, diverted } = begin()
  diverted.add('key1', 'search')
  clock.advance(DIVERTED_MS - 1)
  t.equal(diverted.includes('key1', 'search'), true)
  clock.advance(1)
  t.equal(diverted.includes('key1', 'search'), false)
})

t.test('a credential that is diverted with many kinds is diverted with all', async (t) => {
  const { clock, diverted } = begin()
  for (let i = 1; i < DIVERTED_KINDS; i++) diverted.add('key1', String(i))
  t.equal(diverted.includes('key1', 'another'), false, 'control: one kind fewer')
  diverted.add('key1', 'last')
  t.equal(diverted.includes('key1', 'another'), true)
  for (let i = 0; i < 1_000; i++) diverted.add('key1', `more ${i}`)
  t.equal(diverted.includes('key1', 'another'), true)
  clock.advance(DIVERTED_MS)
  t.equal(diverted.includes('key1', 'another'), false)
})

// RFC 5321 4.2: replies of mail servers, in pieces of any size.
import fc from 'fast-check'
import t from 'tap'
import { ReplyReader } from '../../../mta/outbound/reply-reader.ts'

/** The replies in these pieces, and the rest. */
function read(pieces: readonly Buffer[]): { replies: string[]; rest: string } {
  const reader = new ReplyReader(1_000)
  const replies: string[] = []
  for (const piece of pieces) {
    reader.add(piece)
    for (let reply = reader.next(); reply !== null; reply = reader.next()) replies.push(reply)
  }
  return { replies, rest: reader.rest().toString() }
}

t.test('replies are the same, however they are split', async (t) => {
  const text = Buffer.from('250-first\r\n250 second é\r\n\r\n354\r\n550 5.1.1 no\n250 o')
  const expected = { replies: ['250-first\n250 second é', '354', '550 5.1.1 no'], rest: '250 o' }
  const cuts = fc.array(fc.nat(text.length), { maxLength: 8 })
  const outcome = fc.check(
    fc.property(cuts, (places) => {
      const ends = [0, ...places.toSorted((a, b) => a - b), text.length]
      const pieces = ends.slice(1).map((end, i) => text.subarray(ends[i], end))
      return JSON.stringify(read(pieces)) === JSON.stringify(expected)
    }),
    { seed: 5321 },
  )
  t.notOk(outcome.failed, JSON.stringify(outcome.counterexample))
})

t.test('octets that are not UTF-8 are kept one by one', async (t) => {
  t.same(read([Buffer.from('250 \xe9\r\n', 'latin1')]).replies, ['250 é'])
})

t.test('a reply without end is aborted, after any number of complete ones', async (t) => {
  const line = Buffer.from(`250 ${'x'.repeat(500)}\r\n`)
  t.equal(read([line, line, line]).replies.length, 3)
  t.throws(() => read([Buffer.from(`250-${'x'.repeat(500)}\r\n`), Buffer.from(`250-${'x'.repeat(500)}\r\n`)]))
  t.throws(() => read([Buffer.alloc(1_001, 'x')]))
})

import { createHash } from 'node:crypto'
import t from 'tap'
import { TURN_BYTES } from '../../../server/base/limits.ts'
import { hashInTurns, joinInTurns } from '../../../server/base/turns.ts'

const PIECES = [Buffer.from('a'), Buffer.alloc(TURN_BYTES * 3 + 1, 'bc'), Buffer.alloc(0), Buffer.from('d')]

/** How many turns of the event loop pass while work is under way. */
async function turnsDuring(work: Promise<unknown>): Promise<number> {
  let turns = 0
  let isDone = false
  const ended = work.finally(() => {
    isDone = true
  })
  while (!isDone) {
    turns++
    await new Promise((resolve) => setImmediate(resolve))
  }
  await ended
  return turns
}

t.test('pieces are joined to a copy', async (t) => {
  for (const pieces of [PIECES, PIECES.slice(2), [PIECES[1]!]]) {
    const joined = await joinInTurns(pieces)
    t.ok(joined.equals(Buffer.concat(pieces)))
    joined.fill(0)
    for (const piece of pieces) t.notOk(piece.includes(0), 'the pieces stay as they are')
  }
})

t.test('the digest of pieces is that of the whole', async (t) => {
  for (const algorithm of ['sha256', 'sha1']) {
    const wanted = createHash(algorithm).update(Buffer.concat(PIECES)).digest('hex')
    t.equal((await hashInTurns(PIECES, algorithm)).toString('hex'), wanted)
  }
})

t.test('other tasks run while large octets are joined or hashed', async (t) => {
  t.ok((await turnsDuring(joinInTurns(PIECES))) > 3)
  t.ok((await turnsDuring(hashInTurns(PIECES))) > 3)
  t.ok((await turnsDuring(joinInTurns([PIECES[0]!]))) <= 2, 'control: small ones are joined at once')
})

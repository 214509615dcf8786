/** Any data from foreign name servers: reading it ends, and invalid messages give one kind of error. */
import fc from 'fast-check'
import t from 'tap'
import { presentRecord } from '../../../mta/dns/presentation.ts'
import { decodeMessage, encodeQuestion } from '../../../mta/dns/wire.ts'

/** A response with its question and the records given as octets after their names. */
function answer(records: readonly Buffer[]): Buffer {
  const question = encodeQuestion(7, 'acme.org', 'MX', 1232).subarray(0, -11)
  const bytes = Buffer.concat([question, ...records])
  bytes.writeUInt16BE(0x8400, 2)
  bytes.writeUInt16BE(records.length, 6)
  bytes.writeUInt16BE(0, 10)
  return bytes
}

function record(type: number, data: Buffer, name = Buffer.from([0xc0, 12])): Buffer {
  const head = Buffer.alloc(10)
  head.writeUInt16BE(type, 0)
  head.writeUInt16BE(1, 2)
  head.writeUInt32BE(60, 4)
  head.writeUInt16BE(data.length, 8)
  return Buffer.concat([name, head, data])
}

/** null: not a message, or not a record, signalled by a RangeError. */
function readAll(bytes: Buffer): unknown {
  try {
    const message = decodeMessage(bytes)
    return message.answers.map((one) => presentRecord(message.bytes, one))
  } catch (error) {
    if (error instanceof RangeError) return null
    throw error
  }
}

t.test('a whole message is read', async (t) => {
  const mx = Buffer.concat([Buffer.from([0, 10, 2]), Buffer.from('mx'), Buffer.from([0xc0, 12])])
  t.same(readAll(answer([record(15, mx)])), [{ priority: 10, value: 'mx.acme.org' }])
})

t.test('any octets are read or refused', async (t) => {
  const outcome = fc.check(
    fc.property(fc.uint8Array({ maxLength: 600 }), (octets) => {
      const read = readAll(Buffer.from(octets))
      return read === null || Array.isArray(read)
    }),
    { numRuns: 2_000 },
  )
  t.notOk(outcome.failed, JSON.stringify(outcome.counterexample))
})

t.test('records with any content are read or refused', async (t) => {
  const types = fc.constantFrom(1, 2, 5, 6, 12, 15, 16, 28, 33, 43, 52, 257)
  const records = fc.array(fc.tuple(types, fc.uint8Array({ maxLength: 80 })), { minLength: 1, maxLength: 4 })
  let whole = 0
  fc.assert(
    fc.property(records, fc.nat(700), (all, cut) => {
      const bytes = answer(all.map(([type, data]) => record(type, Buffer.from(data))))
      if (readAll(bytes) !== null) whole++
      readAll(bytes.subarray(0, cut))
    }),
    { numRuns: 2_000, seed: 1035 },
  )
  t.ok(whole > 100 && whole < 1_900, `control: ${whole} are read, the others are not`)
})

t.test('names that point at themselves, forward or in a circle end', async (t) => {
  for (const pointer of [26, 40, 0x3fff]) {
    const name = Buffer.from([0xc0 | (pointer >> 8), pointer & 0xff])
    t.equal(readAll(answer([record(15, Buffer.from([0, 10, 0]), name)])), null, String(pointer))
  }
  const long = Buffer.concat(Array.from({ length: 5 }, () => Buffer.concat([Buffer.from([63]), Buffer.alloc(63, 'x')])))
  t.equal(readAll(answer([record(5, Buffer.concat([long, Buffer.alloc(1)]))])), null, 'longer than a name may be')
})

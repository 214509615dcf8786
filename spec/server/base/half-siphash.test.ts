import t from 'tap'
import { halfSipHash } from '../../../server/base/half-siphash.ts'

const count = (length: number) => Uint8Array.from({ length }, (_, i) => i)

// As the authors publish them: the hashes of 0, 1, 2 ... octets that count up, with a key that does.
const PUBLISHED = 'a9359f5b 27475ab8 fa62a603 8afee704 2a6e4689 c5fab669 5863fc23 8bcf63c5 d0b8848f'.split(' ')

t.test('the published values are computed, at any offset of the octets', async (t) => {
  for (const [length, published] of PUBLISHED.entries()) {
    const expected = Buffer.from(published, 'hex').readUInt32LE()
    t.equal(halfSipHash(count(8), count(length), length, ''), expected, `${length} octets`)
    t.equal(halfSipHash(count(8), count(20), length, ''), expected, 'more that do not count')
    for (let cut = 0; cut <= length; cut++) {
      const tweak = Buffer.from(count(length).subarray(cut)).toString('latin1')
      t.equal(halfSipHash(count(8), count(length), cut, tweak), expected, `${cut} of ${length} in the data`)
    }
  }
})

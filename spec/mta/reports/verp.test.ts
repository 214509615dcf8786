// Promise Q5: a return address that was not made here, or not for this domain, identifies nothing.
import { createHmac, createSecretKey, randomBytes } from 'node:crypto'
import fc from 'fast-check'
import t from 'tap'
import { looksLikeVerp, readVerp, verpAddress } from '../../../mta/reports/verp.ts'
import { base32Decode, base32Encode } from '../../../server/base/base32.ts'

const KEY = createSecretKey(Buffer.alloc(32, 7))
const NOW = Date.UTC(2026, 0, 15)
const DAY = 86_400_000
const TOKEN = { account: 10, submission: 1_000_000, position: 3 }
const ADDRESS = verpAddress(TOKEN, 'bounce.example.com', KEY, NOW)

t.test('a written address can be read, and the local part has at most 64 octets', async (t) => {
  const number = (max: number) => fc.integer({ min: 0, max })
  fc.assert(
    fc.property(number(2 ** 40), number(2 ** 47), number(100_000), (account, submission, position) => {
      const address = verpAddress({ account, submission, position }, 'bounce.example.com', KEY, NOW)
      t.ok(address.indexOf('@') <= 64, address)
      t.ok(looksLikeVerp(address), address)
      t.strictSame(readVerp(address, [KEY], NOW), { account, submission, position })
    }),
    { numRuns: 200 },
  )
})

t.test('case is ignored, because servers may change it', async (t) => {
  t.strictSame(readVerp(ADDRESS.toUpperCase(), [KEY], NOW), TOKEN)
})

t.test('none of 10,000 forged tokens is accepted', async (t) => {
  const bytes = Buffer.from(base32Decode(ADDRESS.slice(7, ADDRESS.indexOf('@')))!)
  const domain = ADDRESS.slice(ADDRESS.indexOf('@'))
  let believed = 0
  for (let i = 0; i < 10_000; i++) {
    let forged = Buffer.from(bytes)
    if (i % 4 === 0) forged[i % forged.length]! ^= 1 << (i % 8)
    else if (i % 4 === 1) forged = Buffer.concat([bytes.subarray(0, -12), randomBytes(12)])
    else if (i % 4 === 2) forged = randomBytes(16 + (i % 16))
    else {
      const payload = bytes.subarray(0, -12)
      const mac = createHmac('sha256', randomBytes(32)).update(payload).update(domain.slice(1)).digest()
      forged = Buffer.concat([payload, mac.subarray(0, 12)])
    }
    if (forged.equals(bytes)) continue
    if (readVerp(`return-${base32Encode(forged)}${domain}`, [KEY], NOW) !== null) believed++
  }
  t.equal(believed, 0)
  t.strictSame(readVerp(ADDRESS, [KEY], NOW), TOKEN, 'the true one is')
})

t.test('every flipped bit of the local part makes it invalid', async (t) => {
  const at = ADDRESS.indexOf('@')
  for (let i = 0; i < at; i++) {
    for (const other of ['a', '2', 'z', '-']) {
      const changed = ADDRESS.slice(0, i) + other + ADDRESS.slice(i + 1)
      if (changed !== ADDRESS) t.equal(readVerp(changed, [KEY], NOW), null, changed)
    }
  }
})

t.test('under the domain of another tenant it is invalid', async (t) => {
  t.equal(readVerp(ADDRESS.replace('bounce.example.com', 'bounce.example.net'), [KEY], NOW), null)
})

t.test('it expires, and is invalid before its time', async (t) => {
  t.strictSame(readVerp(ADDRESS, [KEY], NOW + 30 * DAY), TOKEN)
  t.equal(readVerp(ADDRESS, [KEY], NOW + 31 * DAY), null)
  t.equal(readVerp(ADDRESS, [KEY], NOW - 3 * DAY), null)
})

t.test('an older secret is valid as long as it is configured', async (t) => {
  const newer = createSecretKey(Buffer.alloc(32, 8))
  t.strictSame(readVerp(ADDRESS, [newer, KEY], NOW), TOKEN)
  t.equal(readVerp(ADDRESS, [newer], NOW), null)
})

t.test('other addresses are not return addresses', async (t) => {
  for (const address of ['', 'x@y', 'return-@y', 'return-abc@y', `return-${'a'.repeat(60)}@y`, 'alice@example.com'])
    t.equal(readVerp(address, [KEY], NOW), null, address)
})

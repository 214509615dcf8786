// Promise A5: sealed data can be opened in its place only.
import { randomBytes } from 'node:crypto'
import t from 'tap'
import { Keyring, type SecretPlace } from '../../../server/base/keyring.ts'

const OLD = randomBytes(32)
const NEW = randomBytes(32)
const place = (tenant: number, row: string): SecretPlace => ({ purpose: 'dkim', tenant, row })

t.test('a sealed text opens in its place, and does not show its content', async (t) => {
  const keyring = new Keyring([OLD])
  const sealed = keyring.seal('a password ü', place(1, '2/ph1'))
  t.notMatch(sealed, /password/)
  t.equal(keyring.open(sealed, place(1, '2/ph1')), 'a password ü')
  t.not(keyring.seal('a password ü', place(1, '2/ph1')), sealed, 'never the same twice')
})

t.test('none of 1,000 ciphertexts opens in the place of another', async (t) => {
  const keyring = new Keyring([OLD])
  const places = Array.from({ length: 1_001 }, (_, i) => place(i % 7, `${i}/ph1`))
  const sealed = places.map((one, i) => keyring.seal(`secret ${i}`, one))
  let opened = 0
  for (let i = 0; i < 1_000; i++) {
    try {
      keyring.open(sealed[i]!, places[i + 1]!)
      opened++
    } catch {}
  }
  t.equal(opened, 0)
  t.throws(() => keyring.open(sealed[0]!, { ...places[0]!, purpose: 'relay' }), { code: 'corrupt' })
  t.equal(keyring.open(sealed[5]!, places[5]!), 'secret 5', 'control: in its own it is')
})

t.test('every flipped bit makes it invalid', async (t) => {
  const keyring = new Keyring([OLD])
  const sealed = keyring.seal('secret', place(1, '1'))
  const [version, name, text] = sealed.split('.')
  const octets = Buffer.from(text!, 'base64url')
  for (let bit = 0; bit < octets.length * 8; bit++) {
    const changed = Buffer.from(octets)
    changed[bit >> 3]! ^= 1 << (bit & 7)
    t.throws(() => keyring.open([version, name, changed.toString('base64url')].join('.'), place(1, '1')))
  }
})

t.test('an older key still opens, the newest seals; without its key nothing opens', async (t) => {
  const sealed = new Keyring([OLD]).seal('secret', place(1, '1'))
  const both = new Keyring([NEW, OLD])
  t.equal(both.open(sealed, place(1, '1')), 'secret')
  t.ok(both.isStale(sealed))
  t.notOk(both.isStale(both.seal('secret', place(1, '1'))))
  t.throws(() => new Keyring([NEW]).open(sealed, place(1, '1')), { code: 'corrupt' })
})

t.test('a key of another length is refused', async (t) => {
  t.throws(() => new Keyring([randomBytes(16)]), { code: 'configuration' })
  t.throws(() => new Keyring([]), { code: 'configuration' })
})

// RFC 7672, RFC 6698: which certificates match TLSA records.
import { createHash, X509Certificate } from 'node:crypto'
import { generate } from 'selfsigned'
import t from 'tap'
import { matchesDane, type TlsaRecord, usableTlsa } from '../../../mta/outbound/dane.ts'

const NOW = Date.UTC(2026, 0, 15)
const DAY = 86_400_000
const HOST = 'mx.out.test'

interface Signed {
  readonly key: string
  readonly cert: string
}

async function certificate(name: string, issuer: Signed | null, isAuthority: boolean, days = 30): Promise<Signed> {
  const { private: key, cert } = await generate([{ name: 'commonName', value: name }], {
    keySize: 1024,
    algorithm: 'sha256',
    notBeforeDate: new Date(NOW - DAY),
    notAfterDate: new Date(NOW + days * DAY),
    ...(issuer && { ca: issuer }),
    extensions: isAuthority
      ? [{ name: 'basicConstraints', cA: true, critical: true }]
      : [{ name: 'subjectAltName', altNames: [{ type: 2, value: name }] }],
  })
  return { key, cert }
}

const root = await certificate('Root', null, true)
const authority = await certificate('Authority', root, true)
const host = await certificate(HOST, authority, false)
/** The same names, by an issuer without the keys. */
const forgedAuthority = await certificate('Authority', await certificate('Root', null, true), true)
const forgedHost = await certificate(HOST, forgedAuthority, false)

const parsed = ({ cert }: Signed) => new X509Certificate(cert)
const chainOf = (...all: Signed[]) => all.map((one) => parsed(one).raw)
const spki = (one: Signed) => parsed(one).publicKey.export({ type: 'spki', format: 'der' })
const digest = (hash: string, octets: Buffer) => createHash(hash).update(octets).digest()
const record = (usage: number, selector: number, matching: number, data: Buffer): TlsaRecord => ({
  usage,
  selector,
  matching,
  data,
})
const CHAIN = chainOf(host, authority, root)
const matches = (of: TlsaRecord, chain = CHAIN, names = [HOST], now = NOW) => matchesDane([of], chain, names, now)

t.test('a record of usage 3 is the host’s own certificate or key, in each form (RFC 6698 2.1)', async (t) => {
  const raw = parsed(host).raw
  for (const [selector, octets] of [raw, spki(host)].entries()) {
    t.equal(matches(record(3, selector, 0, octets)), true)
    t.equal(matches(record(3, selector, 1, digest('sha256', octets))), true)
    t.equal(matches(record(3, selector, 2, digest('sha512', octets))), true)
    t.equal(matches(record(3, selector, 2, digest('sha256', octets))), false)
    t.equal(matches(record(3, 1 - selector, 1, digest('sha256', octets))), false)
  }
  t.equal(matches(record(3, 1, 1, digest('sha256', spki(authority)))), false, 'no other certificate of the chain')
  t.equal(matches(record(3, 1, 1, digest('sha256', spki(host))), []), false, 'no certificate at all')
})

t.test('names and dates of the host’s own certificate do not count (RFC 7672 3.1.1)', async (t) => {
  const own = record(3, 1, 1, digest('sha256', spki(host)))
  t.equal(matches(own, CHAIN, ['other.test'], NOW + 1_000 * DAY), true)
})

const ANCHOR = record(2, 0, 1, digest('sha256', parsed(root).raw))

t.test('a record of usage 2 is an authority that issued the host’s certificate', async (t) => {
  t.equal(matches(ANCHOR), true)
  t.equal(matches(record(2, 1, 2, digest('sha512', spki(authority)))), true, 'also one in between')
  t.equal(matches(ANCHOR, chainOf(host, authority)), false, 'it has to be sent along')
  t.equal(matches(record(2, 0, 1, digest('sha256', parsed(forgedAuthority).raw))), false, 'another authority')
})

t.test('under an authority the certificate must have the name of the host (RFC 7672 3.2.2)', async (t) => {
  t.equal(matches(ANCHOR, CHAIN, ['other.test', HOST]), true)
  t.equal(matches(ANCHOR, CHAIN, ['other.test']), false)
  t.equal(matches(ANCHOR, CHAIN, []), false)
})

t.test('under an authority every certificate must be valid today', async (t) => {
  t.equal(matches(ANCHOR, CHAIN, [HOST], NOW + 31 * DAY), false, 'over')
  t.equal(matches(ANCHOR, CHAIN, [HOST], NOW - 2 * DAY), false, 'not yet')
  const short = await certificate('Authority', root, true, 1)
  const below = await certificate(HOST, short, false)
  const chain = chainOf(below, short, root)
  t.equal(matches(ANCHOR, chain), true, 'control')
  t.equal(matches(ANCHOR, chain, [HOST], NOW + 2 * DAY), false, 'over in between')
})

t.test('names alone make no chain: each certificate must be signed by the next', async (t) => {
  t.equal(matches(ANCHOR, chainOf(forgedHost, authority, root)), false)
  t.equal(matches(ANCHOR, chainOf(forgedHost, forgedAuthority, root)), false)
  t.equal(matches(ANCHOR, chainOf(forgedHost, root)), false)
})

t.test('records for other usages, or of unknown forms, are not usable (RFC 7672 3.1)', async (t) => {
  const data = digest('sha256', spki(host))
  const all = [
    record(0, 1, 1, data),
    record(1, 1, 1, data),
    record(4, 1, 1, data),
    record(3, 2, 1, data),
    record(3, 1, 3, data),
  ]
  t.same(usableTlsa(all), [])
  const good = [record(2, 0, 0, data), record(3, 1, 2, data)]
  t.same(usableTlsa([...all, ...good]), good)
})

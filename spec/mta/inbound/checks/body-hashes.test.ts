// RFC 6376 3.4.3, 3.4.4: our canonical bodies beside those of the library, whose cost grows with the lines.
import { createRequire } from 'node:module'
import { pipeline } from 'node:stream/promises'
import t from 'tap'
import { type BodyForm, BodyHash, BodyHashes } from '../../../../mta/inbound/checks/authentication/body-hashes.ts'
import { canonicalBody } from '../../../../mta/inbound/checks/authentication/canonical-body.ts'
import { SignatureVerifier } from '../../../../mta/inbound/checks/authentication/signature-verifier.ts'
import { randomFrom } from '../../../../scripts/crash/support/random.ts'

const ALL = Number.POSITIVE_INFINITY
const FORMS: readonly BodyForm[] = ['simple', 'relaxed']
const PIECES = ['\r\n', '\r\n\r\n\r\n', ' ', '\t', ' \t  ', '\r', 'a', 'word', 'two words', ' \r\n', '--b', '\xff\x00']

interface LibraryHash {
  readonly bodyHashedBytes: number
  readonly canonicalizedLength: number
  update(octets: Buffer): void
  digest(encoding: 'base64'): string
}

// A part of the library without types.
const { dkimBody } = createRequire(import.meta.url)('mailauth/lib/dkim/body/index.js') as {
  dkimBody(form: string, hash: string, limit: number | ''): LibraryHash
}

function canonical(form: BodyForm, body: string): string {
  let text = ''
  const stream = canonicalBody(form, (piece) => {
    text += piece.toString('latin1')
  })
  stream.update(Buffer.from(body, 'latin1'))
  stream.end()
  return text
}

t.test('bodies in both canonical forms', async (t) => {
  const cases: readonly (readonly [body: string, simple: string, relaxed: string])[] = [
    // RFC 6376 3.4.5
    [' C \r\nD \t E\r\n\r\n\r\n', ' C \r\nD \t E\r\n', ' C\r\nD E\r\n'],
    // 3.4.3: an empty body is one line break; 3.4.4: or nothing
    ['', '\r\n', ''],
    ['\r\n\r\n', '\r\n', ''],
    [' \t\r\n \r\n', ' \t\r\n \r\n', ''],
    ['no line end', 'no line end\r\n', 'no line end\r\n'],
    ['blanks at the end  ', 'blanks at the end  \r\n', 'blanks at the end\r\n'],
    ['a\r\n\r\n\tb', 'a\r\n\r\n\tb\r\n', 'a\r\n\r\n b\r\n'],
    // A CR alone is content.
    ['a \rb\r\r\n\r', 'a \rb\r\r\n\r\r\n', 'a \rb\r\r\n\r\r\n'],
  ]
  for (const [body, simple, relaxed] of cases) {
    t.equal(canonical('simple', body), simple)
    t.equal(canonical('relaxed', body), relaxed)
  }
})

t.test('any body, in any pieces, has the hashes and lengths that the library finds', async (t) => {
  const random = randomFrom(12)
  const below = (limit: number) => Math.floor(random() * limit)
  for (let round = 0; round < 400; round++) {
    const body = Buffer.from(Array.from({ length: below(60) }, () => PIECES[below(PIECES.length)]!).join(''), 'latin1')
    const limits = [ALL, below(body.length + 2), 0]
    const hashes = new BodyHashes()
    const ours = FORMS.flatMap((form) =>
      limits.map((limit) => ({ form, limit, hash: hashes.add(form, 'sha256', limit) })),
    )
    for (let from = 0, to = 0; from < body.length; from = to) {
      to = from + 1 + below(20)
      hashes.update(body.subarray(from, to))
    }
    for (const { form, limit, hash } of ours) {
      const library = dkimBody(form, 'sha256', limit === ALL ? '' : limit)
      library.update(body)
      const wanted = [library.digest('base64'), library.bodyHashedBytes, library.canonicalizedLength]
      t.same([hash.digest('base64'), hash.bodyHashedBytes, hash.canonicalizedLength], wanted, `${form}, l=${limit}`)
    }
  }
})

t.test('the pieces of a canonical body are as many as came, however many lines they have', async (t) => {
  const bodies = ['ab \r\n', 'a\t\tb\r\n', '\r\n', 'x', ' ', '\ta', ' \r\n', 'a\r\n\r\n'].map((line) =>
    line.repeat(20_000),
  )
  for (const form of FORMS)
    for (const body of bodies) {
      let pieces = 0
      let octets = 0
      const stream = canonicalBody(form, ({ length }) => {
        pieces++
        octets += length
      })
      for (let at = 0; at < 10; at++) stream.update(Buffer.from(body))
      stream.update(Buffer.from('end'))
      stream.end()
      // Line breaks that were held back come in pieces of some kilobytes.
      t.ok(pieces <= 12 + octets / 8_192, `${form}: ${pieces} pieces of ${octets} octets`)
    }
})

t.test('the verifier of the library uses these hashes', async (t) => {
  const field = (form: BodyForm) =>
    `DKIM-Signature: v=1; a=rsa-sha256; c=${form}/${form}; d=a.test; s=s; h=from; bh=AAAA; b=AAAA\r\n`
  const verifier = new SignatureVerifier({ resolver: async () => [], strict: true })
  await pipeline([Buffer.from(`${FORMS.map(field).join('')}From: a@a.test\r\n\r\nbody\r\n`)], verifier)
  const hashes = [...(Reflect.get(verifier, 'bodyHashes') as ReadonlyMap<string, unknown>).values()]
  t.equal(hashes.length, 2)
  for (const hash of hashes) t.ok(hash instanceof BodyHash && hash.bodyHashedBytes === 6)
})

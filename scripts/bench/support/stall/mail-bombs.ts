/** Messages that no mailer writes: the bombs of promises P4 and T1 and generated ones, each with an ordinary message of its size. */
import { randomFrom } from '../../../crash/support/random.ts'

export interface MailBomb {
  readonly name: string
  make(): Buffer
}

/** The limit of an upload; that of SMTP is a little larger. */
const MAX_BYTES = 50_000_000
const TOP = 'From: a@example.org\r\nTo: hello@example.test\r\nMIME-Version: 1.0\r\n'
const NESTED = 'Content-Type: message/rfc822\r\n'
const MIXED = 'Content-Type: multipart/mixed; boundary=b\r\n'

/** Lines, repeated in the place that the bomb uses. */
const PLACES: { readonly [place: string]: (lines: Buffer) => readonly (string | Buffer)[] } = {
  'in the header': (lines) => [TOP, lines, '\r\nbody\r\n'],
  'in the body': (lines) => [TOP, '\r\n', lines],
  'in the header of a message in it': (lines) => [TOP, NESTED, '\r\nSubject: inner\r\n', lines, '\r\nbody\r\n'],
  'in the body of a message in it': (lines) => [TOP, NESTED, '\r\nSubject: inner\r\n\r\n', lines],
  'in the header of a part': (lines) => [TOP, MIXED, '\r\n--b\r\n', lines, '\r\nbody\r\n--b--\r\n'],
  'in a part': (lines) => [TOP, MIXED, '\r\n--b\r\nContent-Type: text/html\r\n\r\n', lines, '\r\n--b--\r\n'],
}

/** Promise T1. */
const LINES: { readonly [name: string]: readonly [line: string, octets: number] } = {
  '12,000,000 lines a:': ['a:\r\n', 48_000_000],
  '32 MB of lines of 4 octets': ['ab\r\n', 32_000_000],
  '40 MB of empty lines': ['\r\n', 40_000_000],
  '1,000,000 fields': ['X-Field: some value\r\n', 21_000_000],
}

/** As many as are checked, each over other octets: the body is canonicalised and hashed for each. */
const SIGNATURES = Array.from(
  { length: 10 },
  (_, n) =>
    `DKIM-Signature: v=1; a=rsa-sha256; c=relaxed/relaxed; d=example.org; s=s; h=from;\r\n l=${40_000_000 + n}; bh=AAAA; b=AAAA\r\n`,
).join('')

/** Bodies under signatures. Each has another l=, so that none shares the hash of another. */
const SIGNED: { readonly [name: string]: readonly [unit: string, octets: number] } = {
  'signatures over 12,000,000 lines a:': ['a:\r\n', 48_000_000],
  'signatures over 10,000,000 lines that end with a space': ['ab \r\n', 48_000_000],
  'signatures over one line of 46 MB': ['x\t', 46_000_000],
  'signatures over empty lines and white space': ['\r\n \t \r\n', 46_000_000],
}

/** Promise P4. */
const KNOWN: { readonly [name: string]: () => readonly (string | Buffer)[] } = {
  '10,000 nested multiparts': () => [
    TOP,
    ...Array.from({ length: 10_000 }, (_, n) => `Content-Type: multipart/mixed; boundary=b${n}\r\n\r\n--b${n}\r\n`),
    '\r\nx\r\n',
  ],
  '100 nested multiparts and dashes': () => [
    TOP,
    ...Array.from({ length: 99 }, (_, n) => `Content-Type: multipart/mixed; boundary=b${n}\r\n\r\n--b${n}\r\n`),
    '\r\n',
    repeated('--b\r\n', 40_000_000),
  ],
  '100,000 parts': () => [TOP, MIXED, '\r\n', repeated('--b\r\n\r\nx\r\n', 1_000_000)],
  'a header line of 30 MB': () => [TOP, 'Subject: ', repeated('a', 30_000_000), '\r\n\r\nbody\r\n'],
  'a Subject of 5 MB of encoded-words': () => [
    TOP,
    'Subject:',
    repeated(' =?utf-8?Q?a?=\r\n', 5_000_000),
    '\r\nbody\r\n',
  ],
  'cyclic message/partial': () => [
    TOP,
    'Message-ID: <a@b>\r\nContent-Type: message/partial; id="<a@b>"; number=1; total=1\r\n\r\nMessage-ID: <a@b>\r\n',
    'Content-Type: message/partial; id="<a@b>"; number=1; total=1\r\n\r\nbody\r\n',
  ],
  '50 MB of base64 of zeros': () => [
    TOP,
    'Content-Transfer-Encoding: base64\r\n\r\n',
    repeated(`${'A'.repeat(76)}\r\n`, MAX_BYTES - 1_000),
  ],
  '10,000 addresses with nested comments': () => [
    TOP,
    'Cc: ',
    repeated('a@b (x (y (z))),\r\n ', 10_000 * 19),
    'c@d\r\n\r\nbody\r\n',
  ],
  '500 images that 500 bodies of HTML show': () => [
    TOP,
    MIXED,
    '\r\n',
    ...Array.from({ length: 490 }, () => [
      '--b\r\nContent-Type: text/html\r\n\r\n',
      repeated('<p>x\r\n', 60_000),
      '\r\n',
    ]).flat(),
    ...Array.from({ length: 490 }, (_, n) => `--b\r\nContent-Type: image/png\r\nContent-ID: <c${n}>\r\n\r\nx\r\n`),
    `--b\r\nContent-Type: text/html\r\n\r\n${Array.from({ length: 490 }, (_, n) => `<img src="cid:c${n}">`).join('\r\n')}\r\n`,
  ],
  '400 messages in one another': () => [
    TOP,
    ...Array.from({ length: 400 }, (_, n) => `${NESTED}Subject: ${n}\r\n\r\n`),
    'x\r\n',
  ],
  'fields up to the bound, of addresses': () => [
    TOP,
    ...Array.from({ length: 990 }, () => `To: ${'a@b,'.repeat(60)}c@d\r\n`),
    '\r\nx\r\n',
  ],
}

/** What cost more than its octets, or ran where mail is stored. */
const FOUND: { readonly [name: string]: () => readonly (string | Buffer)[] } = {
  'empty lines as fields of a report': () => [
    TOP,
    'Content-Type: multipart/report; report-type=delivery-status; boundary=b\r\n\r\n--b\r\nContent-Type: message/delivery-status\r\n\r\n',
    repeated('\r\n', 40_000_000),
    '--b--\r\n',
  ],
  'white space in a signature': () => [
    TOP,
    'DKIM-Signature: v=1; a=rsa-sha256; d=example.org; s=s; h=from; bh=AAAA; b=AAAA; z=',
    repeated(' ', 200_000),
    'x\r\n\r\nbody\r\n',
  ],
  '80,000 lines of one signed field': () => [TOP, SIGNATURES, 'Cc:', repeated('\r\n a', 240_000), '\r\n\r\nbody\r\n'],
  '99 boundaries of 16 kB and dashes': () => [
    TOP,
    ...Array.from({ length: 99 }, (_, n) => {
      const boundary = 'B'.repeat(16_000 - n)
      return `Content-Type: multipart/mixed; boundary=${boundary}\r\n\r\n--${boundary}\r\n`
    }),
    '\r\n',
    repeated(`--${'C'.repeat(16_100)}\r\n`, 46_000_000),
  ],
  '15,000 charsets that do not exist': () => [
    TOP,
    `Subject:${Array.from({ length: 15_000 }, (_, n) => ` =?x${n}?Q?a?=`).join('')}\r\n\r\nbody\r\n`,
  ],
  'dashes in four messages in one another': () => [
    TOP,
    `${NESTED}\r\n`.repeat(4),
    `Content-Type: multipart/mixed; boundary=x\r\n\r\n`,
    repeated('--b\r\n', 46_000_000),
  ],
}

/** @param scale of the many lines, for a short run: 1 is what the promises name */
export function knownBombs(scale = 1): MailBomb[] {
  const lines = Object.entries(LINES).flatMap(([name, [line, octets]]) =>
    Object.entries(PLACES).map(([place, put]) => bomb(`${name} ${place}`, () => put(repeated(line, octets * scale)))),
  )
  const signed = Object.entries(SIGNED).map(([name, [unit, octets]]) =>
    bomb(name, () => [TOP, SIGNATURES, '\r\n', repeated(unit, octets * scale)]),
  )
  return [...lines, ...signed, ...Object.entries({ ...KNOWN, ...FOUND }).map(([name, make]) => bomb(name, make))]
}

const PIECES = [
  'a:\r\n',
  ' b\r\n',
  '\t\r\n',
  'X: y\r\n',
  '\r\n',
  '--b\r\n',
  '--b-\r\n',
  '--\r\n',
  '(((',
  ')',
  '"',
  '<a@b>,',
  '=?utf-8?Q?=41?= ',
]
const CODES = [
  '=3D',
  '=\r\n',
  '=',
  'QUFB',
  '====',
  '&lt;',
  '<p>',
  '<!--',
  '<a href="',
  '-->',
  '\x80',
  '\xc3\xa9',
  ';a*0*=',
  'x'.repeat(76),
  '\r\n',
]
const TYPES = [
  'text/plain',
  'text/html',
  'multipart/mixed; boundary=b',
  'multipart/alternative; boundary=b',
  'message/rfc822',
  'message/partial; id=x; number=1',
  'multipart/report; report-type=feedback-report; boundary=b',
  'multipart/report; report-type=delivery-status; boundary=b',
  'application/octet-stream',
  '((((((',
  'text/plain; charset=iso-2022-jp',
  'text/plain; charset="utf-7"',
]
const ENCODINGS = ['7bit', 'base64', 'quoted-printable', 'x-unknown']

/** One for each seed from `seed` on. */
export function generatedBombs(count: number, seed: number): MailBomb[] {
  return Array.from({ length: count }, (_, at) =>
    bomb(`generated from seed ${seed + at}`, () => generated(randomFrom(seed + at))),
  )
}

function generated(random: () => number): (string | Buffer)[] {
  const one = (of: readonly string[]) => of[Math.floor(random() * of.length)]!
  const run = (): Buffer => {
    const unit = Array.from({ length: 1 + Math.floor(random() * 4) }, () => one(random() < 0.5 ? PIECES : CODES)).join(
      '',
    )
    return repeated(unit, Math.floor(10 ** (3 + random() * 4.3)))
  }
  const header = () => `Content-Type: ${one(TYPES)}\r\nContent-Transfer-Encoding: ${one(ENCODINGS)}\r\n`
  const pieces: (string | Buffer)[] = [TOP, header()]
  // A fifth of them are in the header, where most must be refused.
  if (random() < 0.2) pieces.push(random() < 0.5 ? 'Subject: ' : '', run(), '\r\n')
  pieces.push('\r\n')
  const parts = 1 + Math.floor(random() * 5)
  for (let part = 0; part < parts; part++) pieces.push(random() < 0.7 ? `\r\n--b\r\n${header()}\r\n` : '', run())
  return pieces
}

/** An ordinary message of the same size. */
export function ordinary(octets: number): Buffer {
  const header = `${TOP}Subject: ordinary\r\nContent-Type: text/plain\r\n\r\n`
  return Buffer.concat([
    Buffer.from(header),
    repeated(`${'word '.repeat(14)}\r\n`, Math.max(0, octets - header.length)),
  ])
}

function bomb(name: string, make: () => readonly (string | Buffer)[]): MailBomb {
  return {
    name,
    make() {
      const whole = Buffer.concat(
        make().map((piece) => (typeof piece === 'string' ? Buffer.from(piece, 'latin1') : piece)),
      )
      return asMail(whole.subarray(0, MAX_BYTES))
    },
  }
}

/** What SMTP can carry: no bare CR or LF, no line that begins with a dot, a line end at the end. */
function asMail(bytes: Buffer): Buffer {
  const text = bytes.toString('latin1').replace(/\r(?!\n)/g, '')
  return Buffer.from(text.endsWith('\r\n') ? text : `${text.slice(0, MAX_BYTES - 2)}\r\n`, 'latin1')
}

/** Whole units, as many as fit. */
function repeated(unit: string, octets: number): Buffer {
  const one = Buffer.from(unit, 'latin1')
  return Buffer.alloc(Math.max(1, Math.floor(octets / one.length)) * one.length, one)
}

import { randomBytes } from 'node:crypto'
import t from 'tap'
import { PART_MARK_MIN_BYTES } from '../../../server/base/limits.ts'
import { startCore } from '../../support/core.ts'

const { core, store, mailbox } = await startCore(t)
const hello = await mailbox('hello')
const CONTENT = randomBytes(PART_MARK_MIN_BYTES * 2 + 12_345)
const TEXT = Array.from({ length: 60_000 }, (_, i) => `Zeile ${i}: größer als = ${i * 7}  \r\n`).join('')

function lines(base64: string, length = 76): string {
  return base64.match(new RegExp(`.{1,${length}}`, 'g'))!.join('\r\n')
}

/** What a line of quoted-printable may have in it, valid and not, in an order that looks random. */
function longLine(length: number): string {
  const tokens = ['=3D', '=', ' ', '  ', '\t', 'ab', '=4', '==', '=zz', '= \r', '\r', 'x'.repeat(40), '=C3=BC']
  let [text, seed] = ['', 1]
  while (text.length < length) {
    seed = (seed * 48_271) % 2_147_483_647
    text += tokens[seed % tokens.length]
  }
  return text
}

/** Encodes some octets that could be literal, and adds soft breaks. */
function quoted(text: string): string {
  return text
    .split('\r\n')
    .map((line) =>
      Buffer.from(line)
        .toString('latin1')
        .replace(
          /[^\x20-\x3c\x3e-\x7e]|=|\s$/g,
          (c) => `=${c.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`,
        )
        .replace(/.{1,60}(?<!=.?)/g, '$&=\r\n')
        .replace(/=\r\n$/, ''),
    )
    .join('\r\n')
}

/** A message with one attachment; its blobId, and its whole content. */
async function attach(body: string, encoding: string, type = 'application/octet-stream') {
  const head = `From: a@example.org\r\nSubject: x\r\nMIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\n`
  const part = `Content-Type: ${type}\r\nContent-Transfer-Encoding: ${encoding}\r\n\r\n${body}\r\n--b--\r\n`
  const raw = Buffer.from(head + part, 'latin1')
  const email = await hello.receive(raw)
  const [{ attachments }] = (await hello.call('Email/get', { ids: [email], properties: ['attachments'] })).list
  const [{ blobId, size }] = attachments
  const read = (range?: { start: number; end: number }) =>
    core.download(hello.principal, hello.accountId, blobId, range)
  const whole = Buffer.from((await read())!.bytes)
  t.equal(whole.length, size)
  return { blobId, raw, whole, read }
}

async function inPieces(
  read: Awaited<ReturnType<typeof attach>>['read'],
  size: number,
  piece: number,
): Promise<Buffer> {
  const pieces: Uint8Array[] = []
  for (let start = 0; start < size; start += piece)
    pieces.push((await read({ start, end: Math.min(size, start + piece) }))!.bytes)
  return Buffer.concat(pieces)
}

/** Octets that are read from the blob store meanwhile. */
async function octetsRead(work: () => Promise<unknown>): Promise<number> {
  const { read } = store.blobs
  let octets = 0
  Object.assign(store.blobs, {
    read: async (...args: Parameters<typeof read>) => {
      const bytes = await read(...args)
      octets += bytes.length
      return bytes
    },
  })
  await work().finally(() => Object.assign(store.blobs, { read }))
  return octets
}

const junk = (text: string) => text.replaceAll(/(.{5000})/gs, '$1!')

for (const [name, body, encoding, content] of [
  ['base64', lines(CONTENT.toString('base64')), 'base64', CONTENT],
  ['base64 in lines of odd lengths', lines(CONTENT.toString('base64'), 61), 'base64', CONTENT],
  ['base64 in one line', CONTENT.toString('base64'), 'base64', CONTENT],
  ['base64 with junk in it', junk(CONTENT.toString('base64')), 'base64', CONTENT],
  [
    'base64 of two segments',
    `${CONTENT.toString('base64')}\r\n${Buffer.from('more').toString('base64')}`,
    'base64',
    null,
  ],
  ['what is said to be base64 and is not', 'no base64 at all: '.repeat(80_000), 'base64', null],
  ['quoted-printable', quoted(TEXT), 'quoted-printable', Buffer.from(TEXT)],
  ['quoted-printable in one line', 'a=20b'.repeat(300_000), 'quoted-printable', Buffer.from('a b'.repeat(300_000))],
  ['quoted-printable in one line, mostly escapes and blanks', longLine(3_000_000), 'quoted-printable', null],
  ['white space in one line', `${' '.repeat(1_500_000)}x`, 'quoted-printable', null],
] as const)
  t.test(`a large part in pieces equals the whole part: ${name}`, async (t) => {
    const { whole, read } = await attach(body, encoding)
    if (content) t.equal(whole.compare(content, 0, whole.length), 0, 'it is what was sent')
    t.ok((await inPieces(read, whole.length, 300_001)).equals(whole))
    for (let i = 0; i < 25; i++) {
      const start = Math.floor(((i * 7919) % 1000) * (whole.length / 1000))
      const end = Math.min(whole.length + 10, start + ((i * 104_729) % 600_000))
      const found = Buffer.from((await read({ start, end }))!.bytes)
      t.ok(found.equals(whole.subarray(start, end)), `${start}-${end}`)
    }
    t.equal((await read({ start: whole.length, end: whole.length + 5 }))!.bytes.length, 0)
  })

t.test('a large part is read and decoded once, in any number of pieces', async (t) => {
  for (const [body, encoding] of [
    [lines(CONTENT.toString('base64')), 'base64'],
    [quoted(TEXT), 'quoted-printable'],
    [longLine(3_000_000), 'quoted-printable'],
  ] as const) {
    const { raw, whole, read } = await attach(body, encoding)
    for (const pieces of [3, 10]) {
      const octets = await octetsRead(() => inPieces(read, whole.length, Math.ceil(whole.length / pieces)))
      t.ok(octets >= raw.length / 2, `${octets} octets were read at all`)
      t.ok(
        octets < raw.length * 5,
        `${encoding} in ${pieces} pieces: ${(octets / raw.length).toFixed(1)} times the message`,
      )
    }
  }
})

t.test('a message within an upload is parsed once for many pieces of its part', async (t) => {
  const body = lines(CONTENT.toString('base64'))
  const head =
    'From: a@example.org\r\nMIME-Version: 1.0\r\nContent-Type: application/pdf\r\nContent-Transfer-Encoding: base64\r\n\r\n'
  const raw = Buffer.from(`${head}${body}\r\n`)
  const { blobId } = (await core.upload(hello.principal, hello.accountId, 'message/rfc822', Buffer.from(raw)))!
  const properties = ['attachments']
  const { parsed } = await hello.call('Email/parse', { blobIds: [blobId], properties })
  const [{ blobId: part, size }] = parsed[blobId].attachments
  const read = (range?: { start: number; end: number }) => core.download(hello.principal, hello.accountId, part, range)
  const octets = await octetsRead(async () =>
    t.ok((await inPieces(read as never, size, Math.ceil(size / 20))).equals(CONTENT)),
  )
  t.ok(octets < raw.length * 6, `${(octets / raw.length).toFixed(1)} times the message`)
})

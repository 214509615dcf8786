// Decision D33, promise P5
import t from 'tap'
import { LINES_TURN_BYTES } from '../../../server/base/import-limits.ts'
import { mboxEntry } from '../../../server/cli/transfer/mbox-writer.ts'
import { splitMbox } from '../../../server/imports/files/mbox.ts'
import { messageOfFile, messageOfMbox } from '../../../server/imports/files/mbox-message.ts'

async function* inChunks(text: Buffer, size: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < text.length; at += size) yield text.subarray(at, at + size)
}

async function split(text: string | Buffer, { size = 7, from = 0, maxOctets = 1_000_000 } = {}) {
  const found: { end: number; size: number; text: string | null }[] = []
  const octets = Buffer.from(text)
  for await (const one of splitMbox(inChunks(octets.subarray(from), size), { from, maxOctets, name: 'a.mbox' }))
    found.push({ ...one, text: one.text?.toString('latin1') ?? null })
  return found
}

const FROM = 'From a@example.org Mon Mar 02 10:00:00 +0000 2015\n'
const MBOX = [
  `${FROM}Subject: one\n\nFirst\nFrom here it is text\n>From quoted\n>>From twice\n\n\n`,
  `${FROM}Subject: two\r\n\r\nSecond\r\n\r\n`,
  `${FROM}Subject: three\n\nLast without an end`,
].join('')

t.test('an mbox is split before a line "From " that follows a blank line, wherever its octets are cut', async (t) => {
  const whole = await split(MBOX, { size: 1 << 20 })
  t.same(
    whole.map(({ text }) => text),
    [
      `${FROM}Subject: one\n\nFirst\nFrom here it is text\n>From quoted\n>>From twice\n\n`,
      `${FROM}Subject: two\r\n\r\nSecond\r\n`,
      `${FROM}Subject: three\n\nLast without an end`,
    ],
    'one blank line belongs to the separator',
  )
  t.equal(whole.at(-1)!.end, MBOX.length)
  for (const size of [1, 2, 3, 5, 8, 13, 64]) t.same(await split(MBOX, { size }), whole, `chunks of ${size}`)
  for (const [index, { end }] of whole.slice(0, 2).entries())
    t.same(await split(MBOX, { from: end }), whole.slice(index + 1), 'reading goes on after a message')
  t.same(await split(`\r\n\n${FROM}A: b\n\nx\n\n`), [
    { end: FROM.length + 12, size: FROM.length + 8, text: `${FROM}A: b\n\nx\n` },
  ])
  t.same(await split(''), [], 'an empty file has no messages')
})

t.test('a file that is no mbox is refused, and a message that is too large is not held', async (t) => {
  for (const text of ['Subject: no mbox\n\nText', Buffer.alloc(100_000)])
    t.match(await split(text).catch((error: unknown) => error), { fault: 'unusable' })
  const large = `${FROM}A: b\n\n${'x'.repeat(5_000)}\n\n${FROM}A: c\n\nsmall\n`
  t.match(await split(large, { maxOctets: 1_000 }), [{ size: FROM.length + 6 + 5_001, text: null }, { text: /small/ }])
})

t.test('a message of an mbox loses quoting and the fields of its mailbox, and gets CRLF', async (t) => {
  const read = async (text: string) => {
    const { raw, ...rest } = await messageOfMbox(Buffer.from(text))
    return { ...rest, raw: raw.toString() }
  }
  const header = 'Status: RO\nX-Status: AF\nSubject: one\nX-GM-THRID: 17\n'
  t.same(await read(`${FROM}${header}\nText\n>From me\n>>From you\n> From x\n`), {
    raw: 'Subject: one\r\n\r\nText\r\nFrom me\r\n>From you\r\n> From x\r\n',
    keywords: ['$seen', '$answered', '$flagged'],
    places: [],
    isExact: false,
    fallbackDate: Date.UTC(2015, 2, 2, 10),
  })
  t.match(await read(`${FROM}Subject: plain\n\nText\r\nmixed\n`), {
    raw: 'Subject: plain\r\n\r\nText\r\nmixed\r\n',
    keywords: [],
  })
  for (const line of ['From x Sat Jan  3 01:05:34 1998', 'From x Sat Jan  3 01:05:34 1998 +0000'])
    t.equal((await read(`${line}\nA: b\n\n`)).fallbackDate, Date.UTC(1998, 0, 3, 1, 5, 34), line)
  t.equal((await read('From nobody at all\nA: b\n\n')).fallbackDate, null)
})

const AWKWARD = [
  'Subject: line ends\r\n\r\nLF alone\nCR alone\rand both\r\n',
  'Subject: no end\r\n\r\nText',
  'Subject: CR at the end\r\n\r\nText\r',
  'Subject: blank lines at the end\r\n\r\nText\r\n\r\n\r\n',
  'Subject: LF at the end\r\n\r\nText\n\n',
  'Subject: only LF\n\nText\n',
  'Subject: NUL\r\n\r\nA\0B\r\n',
  'From here on Mon Mar  2 10:00:00 2015\r\nSubject: begins like an mbox\r\n\r\nFrom me\r\n>From you\r\n\r\nFrom us\r\n',
  'X-Status: A\r\nStatus: RO\r\nX-Gmail-Labels: Work\r\nX-GM-THRID: 1\r\nPosthouse-Octets: 4 x\r\n\r\nText\r\n',
  '\r\nno header',
  'Subject: header only',
  '\n',
]

t.test('a message that was exported to an mbox has its octets again, however awkward they are', async (t) => {
  const octets = AWKWARD.map((text) => Buffer.from(text, 'latin1'))
  octets.push(Buffer.from(Array.from({ length: 256 }, (_, n) => n)))
  const receivedAt = '2024-02-29T00:00:00Z'
  const mbox = Buffer.concat(octets.map((one) => mboxEntry({ octets: one, keywords: ['$flagged'], receivedAt })))
  const found = await split(mbox, { size: 1_000 })
  t.equal(found.length, octets.length)
  for (const [index, { text }] of found.entries()) {
    const read = await messageOfMbox(Buffer.from(text!, 'latin1'))
    const { raw, ...rest } = read
    t.same(raw.toString('latin1'), octets[index]!.toString('latin1'))
    t.same(rest, { keywords: ['$flagged'], places: [], isExact: true, fallbackDate: Date.UTC(2024, 1, 29) })
  }
  const unix = Buffer.from(mboxEntry({ octets: octets[1]!, keywords: [], receivedAt }).toString().replaceAll('\r', ''))
  const fromUnix = (await split(unix))[0]!.text!
  t.same((await messageOfMbox(Buffer.from(fromUnix))).raw, octets[1], 'a program of Unix has changed the line ends')
  const edited = await messageOfMbox(Buffer.from(fromUnix.replace('Text', 'Test')))
  t.equal(edited.raw.toString(), 'Subject: no end\r\n\r\nTest\r\n', 'an edited message is read as in other mboxes')
})

t.test('a message alone in a file keeps its octets', async (t) => {
  const kept = ['Status: RO\r\nX-GM-THRID: 1\r\n\r\na\nb', 'Subject: x\r\n\r\nFrom me\r\n>From you\r\n']
  for (const text of kept) t.equal((await messageOfFile(Buffer.from(text))).raw.toString(), text)
  const unix = Buffer.from('A: b\n\nc\n')
  t.equal((await messageOfFile(unix)).raw.toString(), 'A: b\r\n\r\nc\r\n', 'a file with LF alone gets CRLF')
  t.equal((await messageOfFile(unix, true)).raw.toString(), 'A: b\n\nc\n', 'unless it says that it is exact')
})

t.test('large messages are read in slices, wherever these end', async (t) => {
  for (const shift of [0, 1, 2, 3, 4, 5, 6, 7]) {
    const line = '>>From me\n>From you\n\nx\r\n>Fro\n'
    const text = `A: ${'b'.repeat(shift)}\n\n${line.repeat(Math.ceil((2.5 * LINES_TURN_BYTES) / line.length))}`
    const expected = text.replaceAll(/^>(>*From )/gm, '$1').replaceAll(/\r?\n/g, '\r\n')
    t.ok((await messageOfMbox(Buffer.from(FROM + text))).raw.equals(Buffer.from(expected)), `shifted by ${shift}`)
  }
})

t.test('labels in a header that is too large are not read', async (t) => {
  const labels = (octets: number) => Buffer.from(`${FROM}X-Gmail-Labels: ${'a,'.repeat(octets / 2)}\n\nText\n`)
  t.equal((await messageOfMbox(labels(100))).places.length, 1, 'control')
  t.same((await messageOfMbox(labels(4_000_000))).places, [])
})

t.test('labels of Gmail mean folders, roles and keywords, in several languages', async (t) => {
  const read = async (labels: string) => messageOfFile(Buffer.from(`X-Gmail-Labels: ${labels}\nSubject: x\n\nText\n`))
  const inbox = { path: ['Inbox'], role: 'inbox' }
  t.match(await read('Inbox,Starred,"Work, private",Opened,Category Updates'), {
    places: [inbox, { path: ['Work, private'], role: null }],
    keywords: ['$seen', '$flagged'],
  })
  t.same((await read('=?UTF-8?Q?Gel=C3=B6scht/Alt,Ungelesen,Posteingang,Kategorie:_Werbung?=')).places, [
    { path: ['Gelöscht', 'Alt'], role: null },
    { path: ['Posteingang'], role: 'inbox' },
  ])
  t.same((await read('Ungelesen')).keywords, [], 'unread')
  t.same((await read('Opened')).places, [{ path: ['Archive'], role: 'archive' }], 'mail without a folder is archived')
  t.same((await read('Important')).places, [
    { path: ['Important'], role: 'important' },
    { path: ['Archive'], role: 'archive' },
  ])
  t.same(
    (await Promise.all(['Sent', 'Brouillons', 'Spam', 'Papelera', 'Archivados'].map(read))).map(
      ({ places }) => places[0]!.role,
    ),
    ['sent', 'drafts', 'junk', 'trash', 'archive'],
  )
})

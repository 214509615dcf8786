// Decision D33, promise P5
import t from 'tap'
import { splitMbox } from '../../../server/imports/files/mbox.ts'
import { messageOfMbox } from '../../../server/imports/files/mbox-message.ts'

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
  const read = (text: string) => {
    const { raw, ...rest } = messageOfMbox(Buffer.from(text))
    return { ...rest, raw: raw.toString() }
  }
  const header = 'Status: RO\nX-Status: AF\nSubject: one\nX-GM-THRID: 17\n'
  t.same(read(`${FROM}${header}\nText\n>From me\n>>From you\n> From x\n`), {
    raw: 'Subject: one\r\n\r\nText\r\nFrom me\r\n>From you\r\n> From x\r\n',
    keywords: ['$seen', '$answered', '$flagged'],
    places: [],
    fallbackDate: Date.UTC(2015, 2, 2, 10),
  })
  t.match(read(`${FROM}Subject: plain\n\nText\r\nmixed\n`), {
    raw: 'Subject: plain\r\n\r\nText\r\nmixed\r\n',
    keywords: [],
  })
  for (const line of ['From x Sat Jan  3 01:05:34 1998', 'From x Sat Jan  3 01:05:34 1998 +0000'])
    t.equal(read(`${line}\nA: b\n\n`).fallbackDate, Date.UTC(1998, 0, 3, 1, 5, 34), line)
  t.equal(read('From nobody at all\nA: b\n\n').fallbackDate, null)
})

t.test('labels of Gmail mean folders, roles and keywords, in several languages', async (t) => {
  const read = (labels: string) => messageOfMbox(Buffer.from(`${FROM}X-Gmail-Labels: ${labels}\nSubject: x\n\nText\n`))
  const inbox = { path: ['Inbox'], role: 'inbox' }
  t.match(read('Inbox,Starred,"Work, private",Opened,Category Updates'), {
    places: [inbox, { path: ['Work, private'], role: null }],
    keywords: ['$seen', '$flagged'],
  })
  t.same(read('=?UTF-8?Q?Gel=C3=B6scht/Alt,Ungelesen,Posteingang,Kategorie:_Werbung?=').places, [
    { path: ['Gelöscht', 'Alt'], role: null },
    { path: ['Posteingang'], role: 'inbox' },
  ])
  t.same(read('Ungelesen').keywords, [], 'unread')
  t.same(read('Opened').places, [{ path: ['Archive'], role: 'archive' }], 'mail without a folder is archived')
  t.same(read('Important').places, [
    { path: ['Important'], role: 'important' },
    { path: ['Archive'], role: 'archive' },
  ])
  t.same(
    ['Sent', 'Brouillons', 'Spam', 'Papelera', 'Archivados'].map((label) => read(label).places[0]!.role),
    ['sent', 'drafts', 'junk', 'trash', 'archive'],
  )
})

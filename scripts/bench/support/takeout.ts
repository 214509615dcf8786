/** A zip as Google Takeout makes it: one mbox with labels, of any size, written while it is made. */
import { open } from 'node:fs/promises'
import { crc32, createDeflateRaw } from 'node:zlib'

const NAME = Buffer.from('Takeout/Mail/All mail Including Spam and Trash.mbox')
const LABELS = [
  'Inbox,Unread',
  'Archived,Opened',
  'Work/2025,Opened',
  'Sent',
  'Receipts,Starred',
  'Inbox,Category Updates',
]
const LINE_BYTES = 72
/** Words of all messages, some much more frequent than others, as in a language. */
const WORDS = Array.from({ length: 8_000 }, (_, n) => ((n + 1) * 48_271).toString(36))

/** A message of about `octets` octets, and an attachment of `attached` octets. Octets follow from the number alone. */
export function takeoutMessage(n: number, octets: number, attached = 0): string {
  let state = (n + 1) * 2_654_435_761
  const lines: string[] = []
  for (let size = 0; size < octets; size += LINE_BYTES + 1) {
    let line = ''
    while (line.length < LINE_BYTES) {
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
      const share = state / 0x100000000
      line += `${WORDS[Math.floor(share ** 3 * WORDS.length)]} `
    }
    lines.push(line.slice(0, LINE_BYTES))
  }
  const header = [
    `From: "Sender ${n % 97}" <sender${n % 97}@example.org>`,
    'To: hello@example.test',
    `Subject: Takeout ${n}`,
    `Message-ID: <takeout.${n}@example.org>`,
    'Date: Fri, 20 Nov 2015 10:00:00 +0100',
  ]
  const text = `Content-Type: text/plain; charset=utf-8\n\n${lines.join('\n')}\n`
  if (attached === 0) return `${header.join('\n')}\n${text}`
  const mixed = [...header, 'MIME-Version: 1.0', 'Content-Type: multipart/mixed; boundary="part"', '', '--part']
  const file = ['--part', 'Content-Type: image/jpeg; name="photo.jpg"', 'Content-Transfer-Encoding: base64', '']
  return `${mixed.join('\n')}\n${text}${file.join('\n')}\n${base64Lines(n, attached)}\n--part--\n`
}

/** One pattern for all, begun anew with each number: making it would take longer than its import. */
const PHOTO = Buffer.from(Array.from({ length: 65_536 }, (_, n) => (Math.imul(n + 1, 2_654_435_761) >>> 13) & 255))

function base64Lines(n: number, octets: number): string {
  const own = Buffer.from(`${n}`)
  const pieces = Array.from({ length: Math.ceil((octets * 0.74) / PHOTO.length) }, () => PHOTO)
  const photo = Buffer.concat([own, ...pieces]).subarray(0, Math.floor(octets * 0.74))
  return photo.toString('base64').replaceAll(/.{76}/g, '$&\n')
}

/** Resolves to the octets of the mbox. */
export async function writeTakeout(path: string, messages: number, octets: number, attached = 0): Promise<number> {
  const file = await open(path, 'w')
  const head = localHeader()
  await file.write(head)
  const deflate = createDeflateRaw({ level: 1 })
  let packed = 0
  const written = (async () => {
    for await (const chunk of deflate as AsyncIterable<Buffer>) {
      await file.write(chunk)
      packed += chunk.length
    }
  })()
  let size = 0
  let crc = 0
  for (let n = 0; n < messages; n++) {
    const labels = LABELS[n % LABELS.length]!
    const text = Buffer.from(
      `From ${n}@xxx Fri Nov 20 09:00:00 +0000 2015\nX-GM-THRID: ${n}\nX-Gmail-Labels: ${labels}\n${takeoutMessage(n, octets, attached)}\n`,
    )
    crc = crc32(text, crc)
    size += text.length
    if (!deflate.write(text)) await new Promise((resolve) => deflate.once('drain', resolve))
  }
  deflate.end()
  await written
  const sums = Buffer.alloc(12)
  for (const [at, value] of [crc, packed, size].entries()) sums.writeUInt32LE(value, at * 4)
  await file.write(sums, 0, 12, 14)
  const end = directory(sums, head.length + packed)
  await file.write(end, 0, end.length, head.length + packed)
  await file.close()
  return size
}

/** APPNOTE 4.3.7, without ZIP64: below 4 GB. */
function localHeader(): Buffer {
  const header = Buffer.alloc(30)
  header.writeUInt32LE(0x04034b50, 0)
  header.writeUInt16LE(20, 4)
  header.writeUInt16LE(8, 8)
  header.writeUInt16LE(NAME.length, 26)
  return Buffer.concat([header, NAME])
}

/** APPNOTE 4.3.12, 4.3.16 */
function directory(sums: Buffer, offset: number): Buffer {
  const entry = Buffer.alloc(46)
  entry.writeUInt32LE(0x02014b50, 0)
  entry.writeUInt16LE(20, 4)
  entry.writeUInt16LE(20, 6)
  entry.writeUInt16LE(8, 10)
  sums.copy(entry, 16)
  entry.writeUInt16LE(NAME.length, 28)
  const end = Buffer.alloc(22)
  end.writeUInt32LE(0x06054b50, 0)
  end.writeUInt16LE(1, 8)
  end.writeUInt16LE(1, 10)
  end.writeUInt32LE(46 + NAME.length, 12)
  end.writeUInt32LE(offset, 16)
  return Buffer.concat([entry, NAME, end])
}

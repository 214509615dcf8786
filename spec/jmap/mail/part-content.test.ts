// Promise T1: a large encoded part is not in memory encoded and decoded at a time.
import t from 'tap'
import { type KnownPart, type ReadRange, readPart } from '../../../jmap/mail/blob/part-content.ts'
import { parseMessage } from '../../../jmap/message/structure.ts'
import { type MessageWork, WORK_HERE } from '../../../jmap/type/message-work.ts'
import { DOWNLOAD_CHUNK_BYTES } from '../../../server/base/limits.ts'
import { PART_IN_PIECES_MIN_BYTES } from '../../../server/base/reading-limits.ts'

const CONTENT = Buffer.from(Array.from({ length: 997 }, (_, at) => at % 251))

/** Reads the only part of a message. `decoded`: octets of the bodies that were decoded. */
async function read(encoding: string, body: string, range?: { start: number; end: number }) {
  const message = Buffer.from(
    `Content-Type: application/x\r\nContent-Transfer-Encoding: ${encoding}\r\n\r\n${body}`,
    'latin1',
  )
  const decoded: number[] = []
  const messageWork: MessageWork = {
    ...WORK_HERE,
    decodeGiven(octets, name) {
      decoded.push(octets.length)
      return WORK_HERE.decodeGiven(octets, name)
    },
  }
  const known: KnownPart = { part: parseMessage(message).structure.parts[0]!, marks: undefined }
  const outer: ReadRange = async (within) => Uint8Array.from(message.subarray(within?.start, within?.end))
  return { content: await readPart(messageWork, known, outer, range), decoded }
}

t.test('a large part is decoded in pieces, if it can be cut', async (t) => {
  const repeated = Buffer.alloc(PART_IN_PIECES_MIN_BYTES, CONTENT)
  const base64 = repeated.toString('base64').replace(/.{76}/g, '$&\r\n')
  const pieces = await read('base64', base64)
  t.ok(repeated.equals(pieces.content))
  t.equal(pieces.content.buffer.byteLength, repeated.length, 'it has its memory to itself')
  t.ok(pieces.decoded.length > 1 && Math.max(...pieces.decoded) < DOWNLOAD_CHUNK_BYTES * 2)
  const range = { start: 5_000_000, end: 5_000_100 }
  t.ok(repeated.subarray(range.start, range.end).equals((await read('base64', base64, range)).content))
  const junk = await read('base64', `!${base64}`)
  t.ok(repeated.equals(junk.content))
  t.same(junk.decoded, [base64.length + 1], 'control: with junk in it, it is decoded as a whole')
})

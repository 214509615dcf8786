/** The calendar parts of a mail: RFC 6047 2.4, and the files that some programs attach in their place. */
import { SCHEDULING_MAX_BYTES, SCHEDULING_PARTS_MAX } from '../../../server/base/calendar-data-limits.ts'
import { asBuffer, decodeCharset, isKnownCharset, isUtf8Charset } from '../../message/charset.ts'
import type { BodyPart, ParsedMessage } from '../../message/structure.ts'
import type { Services } from '../../type/context.ts'
import type { ReadCalendar } from '../icalendar/read-icalendar.ts'
import { formatUTC } from '../jscalendar/date-times.ts'
import type { Refusal } from './incoming-message.ts'

type Reading = Pick<Services, 'messageWork' | 'clock'>

export interface ReadLimits {
  /** Milliseconds in which a part must be read. */
  readonly waitMs: number
  /** Why a message with that method, in lower case, has no effect whatever else it says: it is not read; null: it is read. */
  refusalOf(method: string): Refusal | null
}

/** What each calendar part says, in order; one that is there twice is read once. Never rejects. */
export async function readCalendarParts(
  services: Reading,
  bytes: Uint8Array,
  parsed: ParsedMessage,
  { waitMs, refusalOf }: ReadLimits,
): Promise<readonly (ReadCalendar | Refusal)[]> {
  const found: (ReadCalendar | Refusal)[] = []
  const contents: Buffer[] = []
  for (const part of calendarParts(parsed)) {
    // A file counts only where no part of the body is a scheduling message.
    if (part.type !== 'text/calendar' && found.some((one) => 'method' in one && one.method !== null)) break
    const content = await contentOf(services, bytes, part)
    if ('refusal' in content) found.push(content)
    else if (!contents.some((known) => known.equals(content))) {
      contents.push(content)
      const method = methodIn(content)
      found.push((method === null ? null : refusalOf(method)) ?? (await readInTime(services, content, waitMs)))
    }
  }
  return found
}

function calendarParts({ structure: { parts } }: ParsedMessage): BodyPart[] {
  const bodies = parts.filter(({ type }) => type === 'text/calendar')
  const files = parts.filter(
    ({ type, name, subParts }) =>
      subParts === null &&
      type !== 'text/calendar' &&
      (type === 'application/ics' || (name?.toLowerCase().endsWith('.ics') ?? false)),
  )
  return [...bodies, ...files].slice(0, SCHEDULING_PARTS_MAX)
}

async function contentOf(
  { messageWork }: Reading,
  bytes: Uint8Array,
  { bodyStart, bodyEnd, encoding, size, charset }: BodyPart,
): Promise<Buffer | Refusal> {
  if (size > SCHEDULING_MAX_BYTES)
    return { refusal: `The calendar part has no effect: it has more than ${SCHEDULING_MAX_BYTES} octets.` }
  const content = asBuffer(await messageWork.decode(bytes.subarray(bodyStart, bodyEnd), encoding))
  if (charset === null || isUtf8Charset(charset) || /^us-ascii$/i.test(charset) || !isKnownCharset(charset))
    return content
  return Buffer.from(decodeCharset(content, charset).text)
}

/** METHOD as a text says it in one line, in lower case; null: reading it shows whether there is one. */
function methodIn(content: Buffer): string | null {
  const [, method] = /^METHOD:([\w-]{1,50})[ \t]*\r?$/im.exec(content.toString('latin1')) ?? []
  return method?.toLowerCase() ?? null
}

/** Reading a text may take a second, and a flood of such texts longer: the mail is not kept waiting for ever. */
async function readInTime(
  { messageWork, clock }: Reading,
  content: Uint8Array,
  waitMs: number,
): Promise<ReadCalendar | Refusal> {
  const now = formatUTC(Math.floor(clock.now() / 1000) * 1000)
  const abort = new AbortController()
  let cancel = () => {}
  const late = new Promise<null>((resolve) => {
    cancel = clock.after(waitMs, () => {
      resolve(null)
      // What still waits for a thread is not read for nobody.
      abort.abort()
    })
  })
  try {
    const read = await Promise.race([messageWork.readCalendar(content, now, abort.signal), late])
    if (read === null)
      return { refusal: 'The calendar part has no effect: it takes too long to be read.', isLate: true }
    return 'refusal' in read
      ? { refusal: `The calendar part has no effect, since it cannot be read: ${read.refusal}` }
      : read
  } catch {
    // The thread that read it has died.
    return { refusal: 'The calendar part has no effect: it takes too much memory to be read.' }
  } finally {
    cancel()
  }
}

/** Pure work on the octets of messages that takes long for large ones. A host may run it outside of the calling thread. */
import { ICalendarError } from '../calendars/icalendar/faults.ts'
import { openICalendar, type ReadCalendar, readICalendar } from '../calendars/icalendar/read-icalendar.ts'
import { type CalendarSteps, calendarSteps } from '../calendars/icalendar/read-steps.ts'
import type { PlannedMessage, SchedulingJob, WrittenMessage } from '../calendars/itip/scheduling-job.ts'
import { planMessages, writeMessage } from '../calendars/itip/write-message.ts'
import { asBuffer } from '../message/charset.ts'
import { findMarks, type Mark } from '../message/decode-ranges.ts'
import { type ParsedMessage, parseMessage } from '../message/structure.ts'
import { decodeTransfer } from '../message/transfer.ts'
import type { Fault } from '../newsletters/content/fault.ts'
import {
  type CompiledNewsletter,
  compileNewsletter,
  type NewsletterContent,
} from '../newsletters/content/newsletter-content.ts'

/** The caller keeps the octets that it passes, except those that it lends or gives away. */
export interface MessageWork {
  parse(message: Uint8Array): Promise<ParsedMessage>
  /**
   * The same without a copy of a large message. Nobody reads its octets until the answer, which returns them: views from before may be
   * empty then. @throws Failure `storageUnavailable` when the thread that had them has ended; they are lost
   */
  parseLent(message: Uint8Array): Promise<ReturnedMessage>
  /** The content of a body. @param encoding Content-Transfer-Encoding, lower-case */
  decode(body: Uint8Array, encoding: string): Promise<Uint8Array>
  /** The same without a copy of a large body, which nobody reads any more. */
  decodeGiven(body: Uint8Array, encoding: string): Promise<Uint8Array>
  /** Places from which a body can be decoded (jmap/message/decode-ranges.ts), which nobody reads any more. @param size octets of its content */
  findMarks(body: Uint8Array, encoding: string, size: number): Promise<readonly Mark[] | null>
  /**
   * The events of an iCalendar text, or in one sentence why it is none. Also a short text may take a second.
   * @param now UTCDateTime
   * @param signal what still waits for its turn then is given up, and rejects
   */
  readCalendar(text: Uint8Array, now: string, signal?: AbortSignal): Promise<ReadCalendar | Refused>
  /** The same for a whole calendar: its events as texts, so that the caller has few of them as objects at a time. */
  readCalendarSteps(text: Uint8Array, now: string): Promise<CalendarSteps | Refused>
  /** The messages that follow from a change of an event. @param job JSON of a SchedulingJob */
  planScheduling(job: Uint8Array): Promise<readonly PlannedMessage[]>
  /** One of them as text; null: it says nothing. */
  writeScheduling(job: Uint8Array, message: PlannedMessage): Promise<WrittenMessage | Refused | null>
  /**
   * The templates of a newsletter, or what is wrong with its content.
   * @param content JSON of `NewsletterContent`
   */
  compileNewsletter(content: Uint8Array): Promise<CompiledNewsletter | { readonly faults: readonly Fault[] }>
}

/** A message that was lent, and what was found in it. */
export interface ReturnedMessage {
  readonly parsed: ParsedMessage
  readonly message: Uint8Array
}

/** Why a text is no calendar, in one sentence. */
interface Refused {
  readonly refusal: string
}

export const WORK_HERE: MessageWork = {
  parse: async (message) => parseMessage(message),
  parseLent: async (message) => ({ parsed: parseMessage(message), message }),
  decode: async (body, encoding) => decodeTransfer(asBuffer(body), encoding),
  decodeGiven: async (body, encoding) => decodeTransfer(asBuffer(body), encoding),
  findMarks: async (body, encoding, size) => findMarks(asBuffer(body), encoding, size),
  readCalendar: async (text, now) => orRefusal(() => readICalendar(text, { now })),
  readCalendarSteps: async (text, now) => orRefusal(() => calendarSteps(openICalendar(text, { now }))),
  planScheduling: async (job) => planMessages(jobIn(job)),
  writeScheduling: async (job, message) => orRefusal(() => writeMessage(jobIn(job), message)),
  compileNewsletter: async (content) =>
    compileNewsletter(JSON.parse(asBuffer(content).toString()) as NewsletterContent),
}

function jobIn(octets: Uint8Array): SchedulingJob {
  return JSON.parse(asBuffer(octets).toString())
}

function orRefusal<T>(read: () => T): T | Refused {
  try {
    return read()
  } catch (error) {
    if (error instanceof ICalendarError) return { refusal: error.message }
    throw error
  }
}

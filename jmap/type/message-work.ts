/** Pure work on the octets of messages that takes long for large ones. A host may run it outside of the calling thread. */
import { ICalendarError } from '../calendars/icalendar/faults.ts'
import { type ReadCalendar, readICalendar } from '../calendars/icalendar/read-icalendar.ts'
import { asBuffer } from '../message/charset.ts'
import { findMarks, type Mark } from '../message/decode-ranges.ts'
import { type ParsedMessage, parseMessage } from '../message/structure.ts'
import { decodeTransfer } from '../message/transfer.ts'

/** The caller keeps the octets that it passes. */
export interface MessageWork {
  parse(message: Uint8Array): Promise<ParsedMessage>
  /** The content of a body. @param encoding Content-Transfer-Encoding, lower-case */
  decode(body: Uint8Array, encoding: string): Promise<Uint8Array>
  /** Places from which the body can be decoded (jmap/message/decode-ranges.ts). @param size octets of its content */
  findMarks(body: Uint8Array, encoding: string, size: number): Promise<readonly Mark[] | null>
  /**
   * The events of an iCalendar text, or in one sentence why it is none. Also a short text may take a second.
   * @param now UTCDateTime
   */
  readCalendar(text: Uint8Array, now: string): Promise<ReadCalendar | { readonly refusal: string }>
}

export const WORK_HERE: MessageWork = {
  parse: async (message) => parseMessage(message),
  decode: async (body, encoding) => decodeTransfer(asBuffer(body), encoding),
  findMarks: async (body, encoding, size) => findMarks(asBuffer(body), encoding, size),
  readCalendar: async (text, now) => {
    try {
      return readICalendar(text, { now })
    } catch (error) {
      if (error instanceof ICalendarError) return { refusal: error.message }
      throw error
    }
  },
}

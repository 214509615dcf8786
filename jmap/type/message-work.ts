/** Pure work on the octets of messages that takes long for large ones. A host may run it outside of the calling thread. */
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
}

export const WORK_HERE: MessageWork = {
  parse: async (message) => parseMessage(message),
  decode: async (body, encoding) => decodeTransfer(asBuffer(body), encoding),
  findMarks: async (body, encoding, size) => findMarks(asBuffer(body), encoding, size),
}

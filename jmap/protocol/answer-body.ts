/** The body of an answer: text, or octets where it is large. Octets go to another thread without a copy, and to the client piece by piece. */
import { pushJson, type ResponseTree } from './json-text.ts'

/** Octets of UTF-8. */
export type AnswerBody = string | readonly Uint8Array<ArrayBuffer>[]

/** UTF-16 units of one piece. */
const PIECE_CHARS = 262_144

export function writeBody(response: ResponseTree): AnswerBody {
  const pieces: Uint8Array<ArrayBuffer>[] = []
  let text = ''
  pushJson(response, (fragment) => {
    text += fragment
    if (text.length < PIECE_CHARS) return
    // A fragment ends between two characters: no surrogate pair is cut.
    pieces.push(ENCODER.encode(text))
    text = ''
  })
  if (pieces.length === 0) return text
  pieces.push(ENCODER.encode(text))
  return pieces
}

const ENCODER = new TextEncoder()

export function bodySize(body: AnswerBody): number {
  return typeof body === 'string' ? Buffer.byteLength(body) : body.reduce((sum, piece) => sum + piece.length, 0)
}

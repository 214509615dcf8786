/** The body of an answer: text, or octets where it is large. Octets go to another thread without a copy, and to the client piece by piece. */
import { type Push, pushArguments, pushJson, type ResponseArguments, type ResponseTree } from './json-text.ts'

/** Octets of UTF-8. */
export type AnswerBody = string | readonly Uint8Array<ArrayBuffer>[]

/** UTF-16 units of one piece. */
const PIECE_CHARS = 262_144

export function writeBody(response: ResponseTree): AnswerBody {
  return inPieces((push) => pushJson(response, push))
}

/** An object; values and items of arrays may already be text. */
export function writeObject(object: ResponseArguments): AnswerBody {
  return inPieces((push) => pushArguments(object, push))
}

export function bodyOf(text: string): AnswerBody {
  return inPieces((push) => push(text))
}

function inPieces(write: (push: Push) => void): AnswerBody {
  const pieces: Uint8Array<ArrayBuffer>[] = []
  let text = ''
  write((fragment) => {
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

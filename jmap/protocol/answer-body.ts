/** The body of an answer: text, or octets where it is large. Octets go to another thread without a copy, and to the client piece by piece. */
import { FREED_FROM_BYTES } from '../../server/base/limits.ts'
import { UNIT_MAX_BYTES } from './json-octets.ts'
import { type Push, pushArguments, pushJson, type ResponseArguments, type ResponseTree } from './json-text.ts'

/** Octets of UTF-8. */
export type AnswerBody = string | readonly Uint8Array<ArrayBuffer>[]

/** Octets of one piece, which is freed when it is sent. The last one is shorter. */
const PIECE_BYTES = FREED_FROM_BYTES
/** UTF-16 units of an answer up to which it is text. */
const TEXT_MAX_CHARS = 262_144

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
  const pieces = new Pieces()
  write((fragment) => pieces.add(fragment))
  return pieces.end()
}

class Pieces {
  readonly #full: Uint8Array<ArrayBuffer>[] = []
  #piece: Uint8Array<ArrayBuffer> | undefined
  /** Octets in the piece. */
  #used = 0
  /** What is not yet in a piece. */
  #text = ''

  add(fragment: string | Uint8Array): void {
    if (typeof fragment === 'string') {
      this.#text += fragment
      if (this.#text.length >= TEXT_MAX_CHARS) this.#encodeText()
    } else {
      this.#encodeText()
      this.#copy(fragment)
    }
  }

  end(): AnswerBody {
    if (!this.#piece) return this.#text
    this.#encodeText()
    return [...this.#full, this.#piece.slice(0, this.#used)]
  }

  /** Fragments end between two characters: no surrogate pair is cut. */
  #encodeText(): void {
    const text = this.#text
    this.#text = ''
    const room = this.#piece?.subarray(this.#used)
    if (room && room.length >= text.length * UNIT_MAX_BYTES) this.#used += ENCODER.encodeInto(text, room).written
    else this.#copy(ENCODER.encode(text))
  }

  #copy(octets: Uint8Array): void {
    for (let from = 0; from < octets.length; ) {
      if (!this.#piece || this.#used === PIECE_BYTES) this.#begin()
      const part = octets.subarray(from, from + PIECE_BYTES - this.#used)
      this.#piece!.set(part, this.#used)
      this.#used += part.length
      from += part.length
    }
  }

  #begin(): void {
    if (this.#piece) this.#full.push(this.#piece)
    this.#piece = new Uint8Array(PIECE_BYTES)
    this.#used = 0
  }
}

const ENCODER = new TextEncoder()

export function bodySize(body: AnswerBody): number {
  return typeof body === 'string' ? Buffer.byteLength(body) : body.reduce((sum, piece) => sum + piece.length, 0)
}

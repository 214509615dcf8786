/** The message as Sieve tests and inbox rules read it: header values and body text, decoded on first use. */
import { SIEVE_BODY_DEPTH_MAX, SIEVE_BODY_MAX_CHARS, SIEVE_NESTED_MAX_BYTES } from '../../server/base/sieve-limits.ts'
import { type EmailAddress, parseAddresses } from '../message/addresses.ts'
import { decodePartHead } from '../message/decode.ts'
import { textForm } from '../message/header-forms.ts'
import { fieldText, isNamed, unfold } from '../message/headers.ts'
import { htmlToText } from '../message/html-text.ts'
import { type BodyPart, type ParsedMessage, parseMessage } from '../message/structure.ts'

/** A MIME part of the message or of a message inside it. */
export interface SievePart {
  /** Lower-case, such as `text/html`. */
  readonly type: string
  /** Decoded on first use, including markup. */
  text(): string
}

const XHTML = 'application/xhtml+xml'

export class SieveMessage {
  readonly size: number
  readonly parsed: ParsedMessage
  readonly #bytes: Uint8Array
  readonly #fields = new Map<string, readonly string[]>()
  readonly #texts = new Map<string, readonly string[]>()
  readonly #addresses = new Map<string, readonly EmailAddress[][]>()
  #parts: readonly SievePart[] | undefined
  #bodyText: string | undefined
  #raw: string | undefined

  constructor(bytes: Uint8Array, parsed: ParsedMessage = parseMessage(bytes)) {
    this.#bytes = bytes
    this.parsed = parsed
    this.size = bytes.length
  }

  /** Values of all fields of a name (any case), unfolded, not decoded. */
  fields(name: string): readonly string[] {
    return remember(this.#fields, name.toLowerCase(), (key) =>
      this.parsed.headers.filter((field) => isNamed(field, key)).map((field) => unfold(fieldText(this.#bytes, field))),
    )
  }

  /** The same as text: encoded words are decoded (RFC 5228 2.7.2), surrounding white space is removed (5.7). */
  texts(name: string): readonly string[] {
    return remember(this.#texts, name.toLowerCase(), (key) => this.fields(key).map((value) => textForm(value).trim()))
  }

  /** Addresses of each field of a name. */
  addresses(name: string): readonly (readonly EmailAddress[])[] {
    return remember(this.#addresses, name.toLowerCase(), (key) => this.fields(key).map(parseAddresses))
  }

  /** RFC 5173 5.1: everything after the header, undecoded; octets that are not UTF-8 are replaced. */
  rawBody(): string {
    this.#raw ??= new TextDecoder().decode(
      this.#bytes.subarray(this.#bodyStart(), this.#bodyStart() + SIEVE_BODY_MAX_CHARS),
    )
    return this.#raw
  }

  /** RFC 5173 4: whether an empty line follows the header. */
  hasBody(): boolean {
    const root = this.parsed.structure.parts[0]
    return root !== undefined && root.bodyStart > root.headerEnd
  }

  /**
   * All parts, including those of messages inside, in order. A multipart gives the text around its parts. At most SIEVE_BODY_MAX_CHARS
   * of text, and what SIEVE_NESTED_MAX_BYTES of messages inside hold.
   */
  parts(): readonly SievePart[] {
    this.#parts ??= allParts(
      this.#bytes,
      this.parsed,
      { left: SIEVE_BODY_MAX_CHARS, nestedOctets: SIEVE_NESTED_MAX_BYTES },
      0,
    )
    return this.#parts
  }

  /** RFC 5173 5.3: the text that a reader sees, without markup. */
  bodyText(): string {
    this.#bodyText ??= this.parts()
      .filter(({ type }) => type.startsWith('text/') || type === XHTML)
      .map(({ type, text }) =>
        type === 'text/html' || type === XHTML ? htmlToText(text(), SIEVE_BODY_MAX_CHARS) : text(),
      )
      .join('\n')
    return this.#bodyText
  }

  #bodyStart(): number {
    return this.parsed.structure.parts[0]?.bodyStart ?? this.size
  }
}

/** RFC 5173 5.2: parts are decoded. A message inside gives its header as text, then its own parts. */
function allParts(bytes: Uint8Array, parsed: ParsedMessage, budget: Budget, depth: number): SievePart[] {
  return parsed.structure.parts.flatMap((part): SievePart[] => {
    if (part.subParts !== null) return aroundParts(bytes, part, parsed.structure.parts, budget)
    const isMessage = part.type === 'message/rfc822' || part.type === 'message/global'
    if (!isMessage || depth >= SIEVE_BODY_DEPTH_MAX || budget.nestedOctets === 0)
      return [lazily(part.type, budget, (max) => decodePartHead(bytes, part, max))]
    const inner = bytes.subarray(part.bodyStart, Math.min(part.bodyEnd, part.bodyStart + budget.nestedOctets))
    budget.nestedOctets -= inner.length
    const message = parseMessage(inner)
    const headerEnd = message.structure.parts[0]?.headerEnd ?? inner.length
    return [plainly(part.type, inner, 0, headerEnd, budget), ...allParts(inner, message, budget, depth + 1)]
  })
}

/** RFC 5173 5.2: the text of a multipart before its first part and after its last, without the delimiter lines. */
function aroundParts(bytes: Uint8Array, part: BodyPart, all: readonly BodyPart[], budget: Budget): SievePart[] {
  const [first, last] = [all[part.subParts![0]! - 1], all[part.subParts!.at(-1)! - 1]]
  const before = plainly(part.type, bytes, part.bodyStart, first?.headerStart ?? part.bodyEnd, budget)
  const after = plainly(part.type, bytes, last?.bodyEnd ?? part.bodyEnd, part.bodyEnd, budget)
  return [
    { type: part.type, text: () => before.text().replace(/(^|\n)--[^\n]*\n?$/, '$1') },
    { type: part.type, text: () => after.text().replace(/^(?:\r?\n)?--[^\n]*(?:\n|$)/, '') },
  ]
}

/** The octets without decoding. */
function plainly(type: string, bytes: Uint8Array, start: number, end: number, budget: Budget): SievePart {
  return lazily(type, budget, (max) => new TextDecoder().decode(bytes.subarray(start, Math.min(end, start + max))))
}

interface Budget {
  /** UTF-16 units of text that may still be decoded. */
  left: number
  /** Octets of messages inside that may still be parsed. */
  nestedOctets: number
}

function lazily(type: string, budget: Budget, decode: (max: number) => string): SievePart {
  let known: string | undefined
  return {
    type,
    text() {
      if (known === undefined) {
        known = budget.left > 0 ? decode(budget.left).slice(0, budget.left) : ''
        budget.left -= known.length
      }
      return known
    },
  }
}

function remember<T>(known: Map<string, T>, key: string, make: (key: string) => T): T {
  const found = known.get(key)
  if (found !== undefined) return found
  const made = make(key)
  known.set(key, made)
  return made
}

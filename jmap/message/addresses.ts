/** RFC 5322 3.4 address lists, read leniently (RFC 8621 4.1.2.3: best effort) and without recursion. */
import { MIME_MAX_FIELD_ITEMS } from '../../server/base/limits.ts'
import { atomEnd, isSpace, readAngle } from './address-lexer.ts'
import { readQuoted, skipComment } from './content-fields.ts'
import { decodeEncodedWords, toNfc } from './encoded-words.ts'

/** RFC 8621 4.1.2.3 */
export interface EmailAddress {
  readonly name: string | null
  readonly email: string
}

/** RFC 8621 4.1.2.4; `name` null: mailboxes outside of any group. */
export interface EmailAddressGroup {
  readonly name: string | null
  readonly addresses: EmailAddress[]
}

interface Word {
  /** Text of an atom as written, or content of a quoted-string. */
  readonly text: string
  readonly quoted: boolean
  /** White space or a comment precedes it. */
  readonly spaced: boolean
}

/** The tokens read so far of the current mailbox. */
interface Pending {
  words: Word[]
  angle: string | null
  /** Words after the angle-addr: the name of the next mailbox if a comma is missing. */
  after: Word[]
  comment: string | null
}

/** All mailboxes of an unfolded address list; groups dissolve (RFC 8621 4.1.2.3). */
export function parseAddresses(text: string): EmailAddress[] {
  return parseGroupedAddresses(text).flatMap((group) => group.addresses)
}

/** An unfolded address list with its groups (RFC 8621 4.1.2.4). */
export function parseGroupedAddresses(text: string): EmailAddressGroup[] {
  const list = new AddressList()
  let spaced = false
  for (let index = 0; index < text.length; ) {
    const code = text.charCodeAt(index)
    const start = index
    if (isSpace(code)) {
      index++
    } else if (code === 0x28) {
      index = skipComment(text, index)
      list.comment(text.slice(start + 1, text.charCodeAt(index - 1) === 0x29 ? index - 1 : index))
    } else if (code === 0x22) {
      const quoted = readQuoted(text, index)
      list.word({ text: quoted.value, quoted: true, spaced })
      index = quoted.end
    } else if (code === 0x3c) {
      const angle = readAngle(text, index)
      list.angle(angle.value)
      index = angle.end
    } else if (code === 0x2c || code === 0x3b || code === 0x3e || (code === 0x3a && list.openGroup())) {
      if (code === 0x2c) list.finish()
      if (code === 0x3b) list.closeGroup()
      index++
    } else {
      index = atomEnd(text, index)
      list.word({ text: text.slice(start, index), quoted: false, spaced })
    }
    spaced = isSpace(code) || code === 0x28
  }
  list.finish()
  return list.groups
}

/** Collects mailboxes and groups from tokens. */
class AddressList {
  readonly groups: EmailAddressGroup[] = []
  private group: EmailAddressGroup | null = null
  private inGroup = false
  private pending: Pending = nothing()
  private count = 0

  word(word: Word): void {
    if (this.pending.angle === null) this.pending.words.push(word)
    else this.pending.after.push(word)
    // RFC 8621 4.1.2.3: only a comment directly after the address can be its name.
    this.pending.comment = null
  }

  comment(text: string): void {
    this.pending.comment = text
  }

  angle(address: string): void {
    if (this.pending.angle !== null) {
      const words = this.pending.after
      this.pending.after = []
      this.finish()
      this.pending.words = words
    }
    this.pending.angle = address
    this.pending.comment = null
  }

  /** Ends the current mailbox, if there is one. */
  finish(): void {
    const address = toAddress(this.pending)
    this.pending = nothing()
    if (address === null || this.count >= MIME_MAX_FIELD_ITEMS) return
    this.count++
    if (this.group === null) {
      this.group = { name: null, addresses: [] }
      this.groups.push(this.group)
    }
    this.group.addresses.push(address)
  }

  /** Makes the words read so far the name of a group; false: there are none. */
  openGroup(): boolean {
    const { words, angle } = this.pending
    if (this.inGroup || angle !== null || words.length === 0 || words.some(holdsAt)) return false
    this.group = { name: phrase(words), addresses: [] }
    this.pending = nothing()
    if (this.groups.length < MIME_MAX_FIELD_ITEMS) this.groups.push(this.group)
    this.inGroup = true
    return true
  }

  /** RFC 5322 3.4: a semicolon ends a group; outside of a group it separates mailboxes, as some mailers write. */
  closeGroup(): void {
    this.finish()
    if (this.inGroup) this.group = null
    this.inGroup = false
  }
}

function nothing(): Pending {
  return { words: [], angle: null, after: [], comment: null }
}

function holdsAt(word: Word): boolean {
  return !word.quoted && word.text.includes('@')
}

function toAddress({ words, angle, after, comment }: Pending): EmailAddress | null {
  if (angle !== null) {
    const name = phrase(words) || phrase(after) || commentName(comment)
    return angle === '' && name === null ? null : { name, email: toNfc(angle) }
  }
  if (words.length === 0) return null
  // `Name user@host` without angle brackets: the words before the one with the @ are the name.
  const at = words.findLastIndex(holdsAt)
  const first = at > 0 && isWholeAddress(words, at) ? at : 0
  const email = words
    .slice(first)
    .map(rawWord)
    .join(at >= 0 ? '' : ' ')
  return { name: phrase(words.slice(0, first)) || commentName(comment), email: toNfc(email) }
}

function isWholeAddress(words: readonly Word[], at: number): boolean {
  const word = words[at] as Word
  return word.spaced && at === words.length - 1 && word.text.indexOf('@') > 0 && !words[at - 1]?.text.endsWith('.')
}

function rawWord(word: Word): string {
  return word.quoted ? `"${word.text.replace(/[\\"]/g, '\\$&')}"` : word.text
}

function commentName(comment: string | null): string | null {
  if (comment === null) return null
  // RFC 2047 5 (2): encoded-words in a comment are delimited by it.
  return decodeEncodedWords(comment.replace(/\\(.)/gs, '$1')).trim() || null
}

/** The display-name: runs of atoms with decoded encoded-words, and quoted-strings unchanged. Null if empty. */
function phrase(words: readonly Word[]): string | null {
  let out = ''
  let atoms = ''
  for (const word of words) {
    if (!word.quoted) {
      atoms += (word.spaced && (atoms !== '' || out !== '') ? ' ' : '') + word.text
      continue
    }
    out += flushAtoms(atoms) + (word.spaced && (atoms !== '' || out !== '') ? ' ' : '')
    atoms = ''
    out += decodeQuotedName(word.text)
  }
  return (out + flushAtoms(atoms)).trim() || null
}

function flushAtoms(atoms: string): string {
  return atoms === '' ? '' : decodeEncodedWords(atoms)
}

// This violates RFC 2047 5 (3), but many mailers put encoded-words in quotes and every reader decodes them
// (spec/decisions/0001-mime.md).
function decodeQuotedName(text: string): string {
  return text.includes('=?') ? decodeEncodedWords(text, true) : toNfc(text)
}

/** RFC 5322 3.4 address lists, read leniently (RFC 8621 4.1.2.3: best effort) and without recursion. */
import { MIME_MAX_FIELD_ITEMS } from '../../../server/base/limits.ts'
import { readQuoted, skipComment } from './content-fields.ts'
import { decodeEncodedWords, encodedWordAt, toNfc } from './encoded-words.ts'

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
  /** Text as written for an atom, contents for a quoted-string. */
  readonly text: string
  readonly quoted: boolean
  /** White space or a comment stood before it. */
  readonly spaced: boolean
}

/** What has been read of the mailbox at hand. */
interface Pending {
  words: Word[]
  angle: string | null
  /** Words that followed the angle-addr: the name of the next mailbox when a comma is missing. */
  after: Word[]
  comment: string | null
}

/** All mailboxes of an unfolded address list; groups dissolve (RFC 8621 4.1.2.3). */
export function parseAddresses(text: string): EmailAddress[] {
  return parseGroupedAddresses(text).flatMap((group) => group.addresses)
}

/** An unfolded address list with its groups (RFC 8621 4.1.2.4). */
export function parseGroupedAddresses(text: string): EmailAddressGroup[] {
  const groups: EmailAddressGroup[] = []
  let group: EmailAddressGroup | null = null
  let inGroup = false
  let pending: Pending = { words: [], angle: null, after: [], comment: null }
  let count = 0
  const finish = () => {
    const address = toAddress(pending)
    pending = { words: [], angle: null, after: [], comment: null }
    if (address === null || count >= MIME_MAX_FIELD_ITEMS) return
    count++
    if (group === null) {
      group = { name: null, addresses: [] }
      groups.push(group)
    }
    group.addresses.push(address)
  }
  let spaced = false
  for (let index = 0; index < text.length; ) {
    const code = text.charCodeAt(index)
    if (isSpace(code)) {
      spaced = true
      index++
    } else if (code === 0x28) {
      const end = skipComment(text, index)
      pending.comment = text.slice(index + 1, text.charCodeAt(end - 1) === 0x29 ? end - 1 : end)
      spaced = true
      index = end
    } else if (code === 0x22) {
      const quoted = readQuoted(text, index)
      addWord(pending, { text: quoted.value, quoted: true, spaced })
      spaced = false
      index = quoted.end
    } else if (code === 0x3c) {
      if (pending.angle !== null) {
        const words = pending.after
        pending.after = []
        finish()
        pending.words = words
      }
      const angle = readAngle(text, index)
      pending.angle = angle.value
      pending.comment = null
      spaced = false
      index = angle.end
    } else if (code === 0x2c) {
      finish()
      index++
    } else if (code === 0x3b) {
      // RFC 5322 3.4: ends a group; outside of one it separates, as some mailers have it.
      finish()
      if (inGroup) group = null
      inGroup = false
      index++
    } else if (code === 0x3a && isGroupName(pending, inGroup)) {
      const opened: EmailAddressGroup = { name: phrase(pending.words), addresses: [] }
      pending = { words: [], angle: null, after: [], comment: null }
      if (groups.length < MIME_MAX_FIELD_ITEMS) groups.push(opened)
      group = opened
      inGroup = true
      index++
    } else {
      const end = atomEnd(text, index)
      if (code !== 0x3e) addWord(pending, { text: text.slice(index, end), quoted: false, spaced })
      spaced = false
      index = end
    }
  }
  finish()
  return groups
}

function addWord(pending: Pending, word: Word): void {
  if (pending.angle === null) pending.words.push(word)
  else pending.after.push(word)
  // RFC 8621 4.1.2.3: only a comment right behind the address can be its name.
  pending.comment = null
}

function isGroupName(pending: Pending, inGroup: boolean): boolean {
  return !inGroup && pending.angle === null && pending.words.length > 0 && !pending.words.some(holdsAt)
}

function holdsAt(word: Word): boolean {
  return !word.quoted && word.text.includes('@')
}

/** Index after the atom at `start`: at least one character, at most up to a special; domain literals and encoded-words are whole. */
function atomEnd(text: string, start: number): number {
  let index = start
  while (index < text.length) {
    const code = text.charCodeAt(index)
    if (code === 0x3d) {
      const word = encodedWordAt(text, index)
      if (word) {
        index = word.end
        continue
      }
    }
    if (code === 0x5b) {
      const close = literalEnd(text, index)
      if (close > 0) {
        index = close
        continue
      }
    }
    if (isSpace(code) || isSpecial(code)) break
    index++
  }
  return Math.max(index, start + 1)
}

// RFC 5322 3.4.1: no bracket stands inside, so that looking for the end stays linear.
function literalEnd(text: string, start: number): number {
  for (let index = start + 1; index < text.length; index++) {
    const code = text.charCodeAt(index)
    if (code === 0x5d) return index + 1
    if (isSpace(code) || code === 0x5b || code === 0x2c || code === 0x3c || code === 0x3e) return -1
  }
  return -1
}

/** RFC 5322 3.4 angle-addr at `start`, without CFWS and without the route of 4.4; one that never closes ends before `,` or `;`. */
function readAngle(text: string, start: number): { value: string; end: number } {
  let value = ''
  let index = start + 1
  while (index < text.length) {
    const code = text.charCodeAt(index)
    if (code === 0x3e) {
      index++
      break
    }
    if (code === 0x3c) break
    if (code === 0x2c || code === 0x3b) {
      if (!value.startsWith('@')) break
    } else if (code === 0x3a && value.startsWith('@')) {
      value = ''
      index++
      continue
    }
    if (code === 0x28) {
      index = skipComment(text, index)
    } else if (code === 0x22) {
      const end = readQuoted(text, index).end
      value += text.slice(index, end)
      index = end
    } else {
      let end = index + 1
      while (end < text.length && isAngleText(text.charCodeAt(end))) end++
      value += isSpace(code) ? text.slice(index + 1, end) : text.slice(index, end)
      index = end
    }
  }
  return { value, end: index }
}

function isAngleText(code: number): boolean {
  return !isSpace(code) && !isSpecial(code)
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

/** The display-name: runs of atoms with their encoded-words decoded, and quoted-strings as they are. Null when empty. */
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

// Against RFC 2047 5 (3), but so many mailers put encoded-words in quotes that every reader decodes them (spec/decisions/0001-mime.md).
function decodeQuotedName(text: string): string {
  return text.includes('=?') ? decodeEncodedWords(text, true) : toNfc(text)
}

function isSpace(code: number): boolean {
  return code === 0x20 || code === 0x09 || code === 0x0d || code === 0x0a
}

function isSpecial(code: number): boolean {
  return (
    code === 0x28 || code === 0x3c || code === 0x3e || code === 0x2c || code === 0x3b || code === 0x3a || code === 0x22
  )
}

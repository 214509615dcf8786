/**
 * Reads the authors of a message strictly: a list that two readers could parse differently is invalid. For outgoing mail; incoming mail
 * is read leniently (addresses.ts).
 */

/** White space and comments; a comment that could be read as an address does not count. */
const SPACE = /(?:[ \t]|\((?:[^()\\<>@,;:"\r\n\0])*\))+/y
/** RFC 5322 3.2.3 dot-atom, with dots anywhere as some mailers write names, and RFC 6532 characters. */
const ATOM = /[A-Za-z0-9!#$%&'*+\-/=?^_`{|}~.\u0080-\u{10ffff}]+/uy
const QUOTED = /"(?:[^"\\\r\n\0]|\\[\x20-\x7e])*"/y
const MARK = /[<>@,]/y

interface Token {
  /** `s`: space, `w`: atom, `q`: quoted-string, else the character itself. */
  readonly kind: string
  readonly text: string
}

/** RFC 5322 3.4 mailbox, without routes and without space in the address. */
const MAILBOX = /^s?(?:(?:[wq]s?)*<[wq]@w>|[wq]@w)s?$/

/** Addresses of an unfolded mailbox-list; null: the list is ambiguous, invalid, or has a group. */
export function readMailboxes(text: string): string[] | null {
  const tokens = tokenise(text)
  if (!tokens) return null
  const addresses: string[] = []
  let mailbox: Token[] = []
  for (const token of [...tokens, { kind: ',', text: ',' }]) {
    if (token.kind !== ',') {
      mailbox.push(token)
      continue
    }
    if (!MAILBOX.test(mailbox.map(({ kind }) => kind).join(''))) return null
    const at = mailbox.findIndex(({ kind }) => kind === '@')
    addresses.push(`${mailbox[at - 1]!.text}@${mailbox[at + 1]!.text}`)
    mailbox = []
  }
  return addresses
}

function tokenise(text: string): Token[] | null {
  const tokens: Token[] = []
  let position = 0
  const take = (pattern: RegExp, kind: string): boolean => {
    pattern.lastIndex = position
    const found = pattern.exec(text)?.[0]
    if (found === undefined) return false
    tokens.push({ kind: kind || found, text: found })
    position += found.length
    return true
  }
  while (position < text.length)
    if (!take(SPACE, 's') && !take(ATOM, 'w') && !take(QUOTED, 'q') && !take(MARK, '')) return null
  return tokens
}

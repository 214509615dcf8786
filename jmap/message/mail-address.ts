/** Mail addresses in the form in which the envelope and the directory compare them. */

/** RFC 5321 4.1.2, RFC 6531 3.3: a dot-string, in which dots may follow each other as some mailers allow, or a quoted string. */
const LOCAL_PART = /^(?:[^\s"(),:;<>@[\]\\\x00-\x1f\x7f]+|"(?:[^"\\\r\n\0]|\\[\x20-\x7e])*")$/

/** Local parts that need no quotes: RFC 5321 4.1.2, RFC 6531 3.3. */
const DOT_STRING = /^[^\s"(),:;<>@[\]\\.\x00-\x1f\x7f]+(?:\.[^\s"(),:;<>@[\]\\.\x00-\x1f\x7f]+)*$/

/** In lower case, with the domain as A-labels; null: not an address. Local parts compare without case here. */
export function normaliseAddress(text: string): string | null {
  const at = text.lastIndexOf('@')
  if (at < 1 || text.length > 320 || !LOCAL_PART.test(text.slice(0, at))) return null
  const domain = normaliseDomain(text.slice(at + 1))
  return domain === null ? null : `${plainLocalPart(text.slice(0, at)).toLowerCase()}@${domain}`
}

/** RFC 5321 4.1.2: quotes and backslashes have no meaning of their own: `"a"` and `a` are the same. Unnecessary ones are removed. */
function plainLocalPart(written: string): string {
  if (!written.startsWith('"')) return written
  const meant = written.slice(1, -1).replace(/\\(.)/g, '$1')
  return DOT_STRING.test(meant) ? meant : `"${meant.replace(/["\\]/g, '\\$&')}"`
}

/** Names that the URL parser would only put in lower case, which costs it some microseconds: not for A-labels, which it checks, or numbers. */
const PLAIN_DOMAIN = /^(?:[a-z0-9_][a-z0-9_-]*\.)+[a-z]{2,}$/
const NAME_MAX_CHARS = 253

/** A-labels in lower case; null: not a domain name. */
export function normaliseDomain(text: string): string | null {
  const bare = text.endsWith('.') ? text.slice(0, -1) : text
  const lower = bare.toLowerCase()
  if (PLAIN_DOMAIN.test(lower) && !lower.includes('xn--')) return lower.length <= NAME_MAX_CHARS ? lower : null
  // Other parts of a URL than a host name are refused before the URL parser sees them: ports, paths, escapes.
  if (bare === '' || /[\0-,/:-@[-^`{-\x7f]/.test(bare)) return null
  try {
    const { hostname } = new URL(`http://${bare}/`)
    const isName = /^[a-z0-9_](?:[a-z0-9_.-]*[a-z0-9])?$/.test(hostname) && !hostname.includes('..')
    // RFC 3696 2: a top-level name is not all digits, which excludes IPv4 addresses.
    return isName && hostname.length <= NAME_MAX_CHARS && !/(^|\.)[0-9]+$/.test(hostname) ? hostname : null
  } catch {
    return null
  }
}

export function domainOf(address: string): string {
  return address.slice(address.lastIndexOf('@') + 1)
}

/** `user+tag@domain` reaches `user@domain` (RFC 5233; decision D16). */
export function baseAddress(address: string): string {
  const at = address.lastIndexOf('@')
  const plus = address.indexOf('+')
  return plus > 0 && plus < at ? address.slice(0, plus) + address.slice(at) : address
}

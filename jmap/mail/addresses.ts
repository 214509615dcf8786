/** Mail addresses as the envelope and the directory compare them. */

/** In lower case, with the domain as A-labels; null for what is no address. Local parts compare without case here. */
export function normaliseAddress(text: string): string | null {
  const at = text.lastIndexOf('@')
  if (at < 1 || at === text.length - 1 || text.length > 320 || /[\x00-\x20\x7f<>]/.test(text)) return null
  const domain = normaliseDomain(text.slice(at + 1))
  return domain === null ? null : `${text.slice(0, at).toLowerCase()}@${domain}`
}

/** A-labels in lower case; null for what is no domain name. */
export function normaliseDomain(text: string): string | null {
  try {
    const { hostname } = new URL(`http://${text.endsWith('.') ? text.slice(0, -1) : text}/`)
    return /^[a-z0-9_](?:[a-z0-9_.-]*[a-z0-9])?$/.test(hostname) && !hostname.includes('..') && hostname.length <= 253
      ? hostname
      : null
  } catch {
    return null
  }
}

export function domainOf(address: string): string {
  return address.slice(address.lastIndexOf('@') + 1)
}

/** `user+tag@domain` reaches `user@domain` (RFC 5233; api/decisions.md D16). */
export function baseAddress(address: string): string {
  const at = address.lastIndexOf('@')
  const plus = address.indexOf('+')
  return plus > 0 && plus < at ? address.slice(0, plus) + address.slice(at) : address
}

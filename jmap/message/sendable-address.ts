/** Addresses to which mail can be sent over the Internet: stricter than those that a directory compares (mail-address.ts). */
import { normaliseDomain } from './mail-address.ts'

// RFC 5321 4.5.3.1: octets of a local part, and (by the 256 of a path) of an address; RFC 1035 2.3.4: of a label.
const LOCAL_MAX = 64
const ADDRESS_MAX = 254
const LABEL_MAX = 63

const ATOM = /^[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+$/
/** RFC 5321 4.1.2: Quoted-string, without its quotes. */
const QUOTED = /^(?:[\x20-\x21\x23-\x5b\x5d-\x7e]|\\[\x20-\x7e])*$/
const LABEL = /^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?$/

/** The address as written, with its domain in lower-case A-labels; null: mail cannot be sent to it. */
export function sendableAddress(text: string): string | null {
  const at = text.lastIndexOf('@')
  const local = text.slice(0, at)
  if (at < 1 || local.length > LOCAL_MAX || !isLocalPart(local)) return null
  const domain = sendableDomain(text.slice(at + 1))
  if (domain === null) return null
  const address = `${local}@${domain}`
  return address.length > ADDRESS_MAX ? null : address
}

/** A domain name of two labels or more in lower-case A-labels; null: any other text. */
export function sendableDomain(written: string): string | null {
  // Before the URL parser sees it, which takes milliseconds for long text. A-labels are never shorter.
  if (written.length > ADDRESS_MAX || !/^[\p{L}\p{N}\p{M}.-]+$/u.test(written) || written.endsWith('.')) return null
  const domain = normaliseDomain(written)
  const labels = domain?.split('.') ?? []
  return labels.length >= 2 && labels.every(isLabel) ? domain : null
}

function isLocalPart(local: string): boolean {
  if (local.startsWith('"')) return local.length > 2 && local.endsWith('"') && QUOTED.test(local.slice(1, -1))
  return local.split('.').every((atom) => ATOM.test(atom))
}

function isLabel(label: string): boolean {
  return label.length <= LABEL_MAX && LABEL.test(label)
}

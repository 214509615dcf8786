/**
 * Finds the addresses that a reader of a header field sees: also in names, quoted strings, comments and encoded-words. For outgoing mail, where
 * a name must not look like another sender (promise S5). Pure.
 */
import { domainToUnicode } from 'node:url'
import { decodeEncodedWords } from './encoded-words.ts'
import { domainOf, normaliseDomain } from './mail-address.ts'

export interface ShownAddress {
  /** Without quotes; '' if there is nothing before the at sign. */
  readonly localPart: string
  /** A-labels in lower case. */
  readonly domain: string
}

/** Characters without a width of their own (Unicode: Default_Ignorable_Code_Point), controls, and spaces that are hard to see. */
const INVISIBLE = /\p{DI}|\p{Cf}|\p{Cc}|[\u2009\u200a\u202f]/gu
const ADDRESS = /([^\s<>,;:()[\]@]*)@([\p{L}\p{N}\p{M}._\u3002-]+)/gu

/** @param text unfolded value of the field */
export function shownAddresses(text: string): ShownAddress[] {
  return [...asShown(text).matchAll(ADDRESS)].flatMap(([, before = '', after = '']) => {
    const domain = normaliseDomain(after.replace(/^[.\u3002_-]+|[.\u3002_-]+$/g, ''))
    return domain === null ? [] : [{ localPart: before.replace(/["'\\`]/g, ''), domain }]
  })
}

function asShown(text: string): string {
  // Plain text, as almost all fields are, is shown as it is.
  if (/^[\x20-\x7e]*$/.test(text) && !text.includes('=?')) return text
  // NFKC: full-width and small forms of the at sign and of letters look like the usual ones.
  return decodeEncodedWords(text, true).replace(INVISIBLE, '').normalize('NFKC').replace(INVISIBLE, '')
}

/** Whether the domain of an address has its usual form. Other forms, such as a final dot or invisible characters, only some readers accept. */
export function hasPlainDomain(address: string): boolean {
  const written = domainOf(address)
  const normal = normaliseDomain(written)
  if (normal === null) return false
  const lower = written.normalize('NFC').toLowerCase()
  return lower === normal || lower === domainToUnicode(normal)
}

/** RFC 3461 4: xtext encodes characters in parameters that SMTP commands may not contain. */

/** Decodes xtext; null when a `+` has not two hex digits in capitals behind it. */
export function decodeXtext(text: string): string | null {
  if (!text.includes('+')) return text
  if (/\+(?![0-9A-F]{2})/.test(text)) return null
  return text.replace(/\+([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
}

/** Encodes a text as xtext, characters beyond ASCII as the octets of their UTF-8. */
export function encodeXtext(text: string): string {
  let encoded = ''
  for (const octet of Buffer.from(text, 'utf8')) {
    const plain = octet > 0x20 && octet < 0x7f && octet !== 0x2b && octet !== 0x3d
    encoded += plain ? String.fromCharCode(octet) : `+${octet.toString(16).toUpperCase().padStart(2, '0')}`
  }
  return encoded
}

/** RFC 6533 3: an address beyond ASCII as utf-8-addr-xtext, which is ASCII. */
export function encodeUtf8Address(address: string): string {
  return address.replace(
    /[^\u0021-\u007e]|[+=\\]/gu,
    (char) => `\\x{${char.codePointAt(0)!.toString(16).toUpperCase()}}`,
  )
}

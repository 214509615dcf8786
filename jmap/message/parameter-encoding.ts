/** Writes structured fields with parameters: RFC 2045 5.1, RFC 2231. */
import { escapeQuoted } from './address-encoding.ts'
import { append, foldPieces } from './header-pieces.ts'
import { libmime } from './libmime.ts'

/** One structured field from a value and parameters (RFC 2045 5.1, RFC 2231), with its final CRLF. */
export function encodeParameterised(
  name: string,
  value: string,
  parameters: readonly (readonly [string, string])[],
): string {
  const pieces = [` ${value}`]
  for (const [key, parameter] of parameters) {
    for (const piece of parameterPieces(key, parameter)) {
      append(pieces, ';')
      pieces.push(` ${piece}`)
    }
  }
  return `${foldPieces(name, pieces)}\r\n`
}

function parameterPieces(key: string, value: string): string[] {
  const text = value.toWellFormed()
  if (text.length <= 60 && !text.includes('=?')) {
    if (/^[A-Za-z0-9!#$&+\-.^_`{|}~]+$/.test(text)) return [`${key}=${text}`]
    if (/^[\x20-\x7e]*$/.test(text)) return [`${key}="${escapeQuoted(text)}"`]
  }
  return libmime()
    .buildHeaderParam(key, text, 50)
    .map((part) => {
      return part.key.endsWith('*') ? `${part.key}=${part.value}` : `${part.key}="${escapeQuoted(part.value)}"`
    })
}

/** JSON Pointer (RFC 6901), shared by result references and patches. */
import { JSON_MAX_DEPTH } from '../../server/base/limits.ts'

/** The reference tokens of a pointer; null: it is invalid, or deeper than any JSON of this server. */
export function parsePointer(pointer: string): string[] | null {
  if (pointer === '') return []
  return pointer.startsWith('/') ? parseTokens(pointer.slice(1)) : null
}

/** The tokens of a PatchObject's key. RFC 8620 5.3: a pointer with an implicit leading slash. */
export function parsePatchPath(key: string): string[] | null {
  return parseTokens(key)
}

export function formatPatchPath(tokens: readonly string[]): string {
  return tokens.map(escapeToken).join('/')
}

/** RFC 6901 3: `~` and `/` are written ~0 and ~1. */
export function escapeToken(token: string): string {
  return token.replaceAll('~', '~0').replaceAll('/', '~1')
}

/** RFC 6901 4: an index has no leading zeros and no sign; `-` names the item after the last, which does not exist. */
export function arrayIndex(token: string): number | null {
  return /^(?:0|[1-9][0-9]{0,9})$/.test(token) ? Number(token) : null
}

function parseTokens(text: string): string[] | null {
  const tokens = text.split('/', JSON_MAX_DEPTH + 1)
  if (tokens.length > JSON_MAX_DEPTH) return null
  if (!text.includes('~')) return tokens
  if (/~(?![01])/.test(text)) return null
  // RFC 6901 4: ~1 first, so that ~01 becomes ~1 and not a slash.
  return tokens.map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~'))
}

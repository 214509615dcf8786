/** Addresses in the fields of a message to send: one or several, as strings or objects, read into the form of JMAP. */

import type { FieldDetail } from '../errors/api-error.ts'
import { type EmailAddress, readAddress, sendableAddress } from '../schema/addresses.ts'
import * as s from '../schema/schema.ts'

const ADDRESS_MAX_CHARS = 500
const NAME_MAX_CHARS = 200

const addressObject = s.object({
  email: s.string({ minLength: 1, maxLength: ADDRESS_MAX_CHARS }),
  name: s.optional(s.nullable(s.string({ maxLength: NAME_MAX_CHARS }))),
})

export const oneAddress = s.union(
  [s.string({ minLength: 1, maxLength: ADDRESS_MAX_CHARS, examples: ['Jane Doe <jane@example.org>'] }), addressObject],
  'An address, `Name <address>`, or `{email, name}`.',
)

/** @param maxItems of the list form */
export function addressesField(maxItems: number, description: string) {
  return s.union(
    [
      s.string({ minLength: 1, maxLength: ADDRESS_MAX_CHARS, examples: ['jane@example.org'] }),
      addressObject,
      s.array(oneAddress, { maxItems }),
    ],
    description,
  )
}

export type WrittenAddress = string | { readonly email: string; readonly name?: string | null }
export type WrittenAddresses = WrittenAddress | readonly WrittenAddress[]

/** @param details gets an item for each address that mail cannot be sent to */
export function readAddresses(
  field: string,
  written: WrittenAddresses | undefined,
  details: FieldDetail[],
): EmailAddress[] {
  if (written === undefined) return []
  return [written].flat().flatMap((item, i) => {
    const address = readWritten(item)
    if (address) return address
    const at = Array.isArray(written) ? `${field}[${i}]` : field
    details.push({ field: at, code: 'invalid_format', message: `${at} is not an address that mail can be sent to.` })
    return []
  })
}

/** null: mail cannot be sent to it, or its name has a control character, which would end the header field. */
export function readWritten(written: WrittenAddress): EmailAddress | null {
  if (typeof written === 'string') return readAddress(written)
  const email = sendableAddress(written.email.trim())
  const name = written.name?.trim() || null
  if (email === null || (name !== null && /[\x00-\x1f\x7f]/.test(name))) return null
  return { name, email }
}

/** Who a message says it is from: what its From, Sender and Resent-* fields name (RFC 5322 3.6.2, 3.6.6). */
import { findEmail, findStructure } from '../../../storage/repos/emails.ts'
import type { MethodContext } from '../../context.ts'
import { readStored } from '../blobs.ts'
import { parseAddresses } from '../message/addresses.ts'
import { fieldText, type HeaderField, readHeaders, unfold } from '../message/headers.ts'
import { unpackStructure } from '../message/pack.ts'

/** Addresses of each field of the name, in order. */
export interface Authors {
  readonly from: readonly (readonly string[])[]
  readonly sender: readonly (readonly string[])[]
  /** Of Resent-From and Resent-Sender. */
  readonly resent: readonly string[]
}

export function authorsIn(bytes: Uint8Array, fields: readonly HeaderField[]): Authors {
  const addresses = (...names: readonly string[]) =>
    fields
      .filter((field) => names.includes(field.name.toLowerCase()))
      .map((field) => parseAddresses(unfold(fieldText(bytes, field))).map(({ email }) => email))
  return {
    from: addresses('from'),
    sender: addresses('sender'),
    resent: addresses('resent-from', 'resent-sender').flat(),
  }
}

/** Outside the transaction: reads the header of an email; null when there is no such email. */
export function readAuthors(method: MethodContext, emailId: string): Promise<Authors | null> {
  const number = method.number('Email', emailId)
  if (number === null) return Promise.resolve(null)
  const account = method.account.number
  return method.read(async (reader) => {
    const email = await findEmail(reader, account, number)
    if (!email) return null
    const structure = await findStructure(reader, account, number)
    const end = (structure && unpackStructure(JSON.parse(structure))?.parts[0]?.headerEnd) || email.size
    const bytes = await readStored(method.services.store, reader, account, email.blob, { start: 0, end })
    return bytes && authorsIn(bytes, readHeaders(bytes))
  })
}

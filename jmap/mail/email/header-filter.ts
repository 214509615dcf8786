/**
 * The filter `header` (RFC 8621 4.4.1) over any field: no index knows every field, so the header blocks of the account's messages
 * are read, in slices. The names that lists show are answered from the stored properties alone where they say no.
 */

import { HEADER_FILTER_MAX_EMAILS } from '../../../server/base/limits.ts'
import { countEmails, selectEmails } from '../../../storage/repos/email-query.ts'
import { type EmailSummary, findEmails } from '../../../storage/repos/emails.ts'
import { fold } from '../../../storage/search/tokens.ts'
import { MethodError } from '../../protocol/errors.ts'
import type { ReadContext } from '../../type/rules.ts'
import { readStored } from '../blobs.ts'
import { headerForm } from '../message/header-forms.ts'
import { readHeaders } from '../message/headers.ts'
import { fieldValues } from './header.ts'

const SLICE = 200
/** Octets of a message in which its header ends, for nearly all mail; the whole is read otherwise. */
const HEADER_HEAD_BYTES = 65_536

/** @param contains text to be found in the value, without regard to case; null: the field need only be there. */
export async function emailsWithHeader(read: ReadContext, name: string, contains: string | null): Promise<number[]> {
  const { reader, method } = read
  const account = method.account.number
  const all = { account, where: null, sort: [] }
  if ((await countEmails(reader, all, 'emails')) > HEADER_FILTER_MAX_EMAILS)
    throw new MethodError('unsupportedFilter', 'The account is too large to filter by header.')
  const wanted = name.toLowerCase()
  const needle = contains === null ? null : fold(contains)
  const found: number[] = []
  for (let offset = 0; ; offset += SLICE) {
    const rows = await selectEmails(reader, all, offset, SLICE)
    const ids = rows.map((row) => row.id)
    for (const email of await findEmails(reader, account, ids)) {
      const bytes = await headOf(read, email)
      const fields = readHeaders(bytes).filter((field) => field.name.toLowerCase() === wanted)
      const matches = fields.some(
        (field) => needle === null || fold(headerForm(fieldValues(bytes, field), 'Text')).includes(needle),
      )
      if (matches) found.push(email.id)
    }
    if (rows.length < SLICE) return found
  }
}

/** Octets with the whole header in them. */
async function headOf({ reader, method }: ReadContext, email: EmailSummary): Promise<Uint8Array> {
  const { store } = method.services
  const account = method.account.number
  const range = { start: 0, end: Math.min(email.size, HEADER_HEAD_BYTES) }
  const head = Buffer.from((await readStored(store, reader, account, email.blob, range)) ?? [])
  if (head.length === email.size || head.includes('\r\n\r\n') || head.includes('\n\n')) return head
  return (await readStored(store, reader, account, email.blob)) ?? head
}

/**
 * The filter `header` (RFC 8621 4.4.1) for any field. The search index knows the names of an email's fields. For a text in a field, the
 * header blocks of the emails that have the field and pass the rest of the filter are read in slices.
 */
import { setImmediate } from 'node:timers/promises'
import type { EmailCondition } from '../../../storage/repos/email-condition.ts'
import { openEmails } from '../../../storage/repos/email-query.ts'
import { type EmailSummary, findEmails } from '../../../storage/repos/emails.ts'
import { fold } from '../../../storage/search/tokens.ts'
import { HEADER_NAME_MAX_CHARS } from '../../../storage/search/words.ts'
import { headerForm } from '../../message/header-forms.ts'
import { isNamed, readHeaders } from '../../message/headers.ts'
import { MethodError } from '../../protocol/errors.ts'
import type { ReadContext } from '../../type/handlers.ts'
import { readStored } from '../blob/blobs.ts'
import { fieldValues } from './header.ts'

const SLICE = 200
/** Octets that contain the whole header of nearly all mail; otherwise the whole message is read. */
const HEADER_HEAD_BYTES = 65_536

/** Whether the index is sufficient: any value matches, and the index distinguishes the name from all others. */
export function isNameAlone([name, contains = '']: readonly [name: string, text?: string]): boolean {
  return contains === '' && name.length < HEADER_NAME_MAX_CHARS
}

/**
 * @param where condition of the other emails, including a field of that name
 * @param contains text to find in the value, without case and accents
 * @throws MethodError unsupportedFilter if too many messages would have to be read
 */
export async function emailsWithHeader(
  read: ReadContext,
  where: EmailCondition,
  name: string,
  contains: string,
): Promise<number[]> {
  const { reader, method } = read
  const account = method.account.number
  const list = await openEmails(reader, { account, where, sort: [{ column: 'received_at', ascending: false }] })
  const wanted = name.toLowerCase()
  const needle = fold(contains)
  const max = method.services.limits.headerFilterMaxEmails
  const found: number[] = []
  for (let seen = 0; ; ) {
    const rows = await list.next(SLICE)
    seen += rows.length
    if (seen > max)
      throw new MethodError(
        'unsupportedFilter',
        `More than ${max} emails with that header field would have to be read.`,
      )
    const ids = rows.map((row) => row.id)
    for (const email of await findEmails(reader, account, ids)) {
      const bytes = await headOf(read, email)
      const fields = readHeaders(bytes).filter((field) => isNamed(field, wanted))
      if (fields.some((field) => fold(headerForm(fieldValues(bytes, field), 'Text')).includes(needle)))
        found.push(email.id)
    }
    if (rows.length < SLICE) return found
    // Lets other work run.
    await setImmediate()
    method.request.guard.check()
  }
}

/** Octets that contain the whole header. */
async function headOf({ reader, method }: ReadContext, email: EmailSummary): Promise<Uint8Array> {
  const { store } = method.services
  const account = method.account.number
  const range = { start: 0, end: Math.min(email.size, HEADER_HEAD_BYTES) }
  const head = Buffer.from((await readStored(store, reader, account, email.blob, range)) ?? [])
  if (head.length === email.size || head.includes('\r\n\r\n') || head.includes('\n\n')) return head
  return (await readStored(store, reader, account, email.blob)) ?? head
}

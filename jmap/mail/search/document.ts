/** The text of a message for the search index. */
import type { SearchDocument } from '../../../storage/search/words.ts'
import type { EmailAddress } from '../../message/addresses.ts'
import type { ParsedMessage } from '../../message/structure.ts'

export function searchDocument(parsed: ParsedMessage): SearchDocument {
  return {
    from: addressText(parsed.from),
    to: addressText(parsed.to),
    cc: addressText(parsed.cc),
    bcc: addressText(parsed.bcc),
    subject: parsed.subject ?? '',
    body: parsed.searchText,
    headerNames: parsed.headers.map(({ name }) => name),
    attachment: parsed.structure.attachments.map((number) => parsed.structure.parts[number - 1]?.name ?? '').join(' '),
  }
}

function addressText(addresses: readonly EmailAddress[] | null): string {
  return (addresses ?? []).map(({ name, email }) => `${name ?? ''} ${email}`).join(' ')
}

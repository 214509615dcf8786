import type { EmailTable, MailboxTable } from '../schema/tables.ts'
import type { Fault } from './fault.ts'

/** What of an email everything else is counted from. */
export type EmailRow = Pick<
  EmailTable,
  'id' | 'thread' | 'blob' | 'size' | 'received_at' | 'unread' | 'keywords' | 'mailboxes'
>

export function placesOf(email: EmailRow): number[] {
  return email.mailboxes === '' ? [] : email.mailboxes.split(',').map(Number)
}

/** null when the text is none that could have been written. */
export function keywordsOf(email: EmailRow): Record<string, true> | null {
  try {
    return JSON.parse(email.keywords) as Record<string, true>
  } catch {
    return null
  }
}

export function trashOf(mailboxes: readonly MailboxTable[]): number | undefined {
  return mailboxes.find(({ role }) => role === 'trash')?.id
}

/** Keys that should be there against keys that are; a key found twice is one too many. */
export function differences(
  account: number,
  kind: string,
  expected: readonly string[],
  actual: readonly string[],
): Fault[] {
  const wanted = new Set(expected)
  const found = new Set(actual)
  const seen = new Set<string>()
  const twice = actual.filter((key) => wanted.has(key) && seen.size === seen.add(key).size)
  return [
    ...expected.filter((key) => !found.has(key)).map((key) => ({ account, kind, detail: `${key} is missing` })),
    ...actual.filter((key) => !wanted.has(key)).map((key) => ({ account, kind, detail: `${key} should not be there` })),
    ...twice.map((key) => ({ account, kind, detail: `${key} is there twice` })),
  ]
}

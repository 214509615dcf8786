import type { EmailTable, MailboxTable } from '../schema/tables.ts'
import type { Fault } from './fault.ts'

/** The columns of an email that the side tables and counts are derived from. */
export type EmailRow = Pick<
  EmailTable,
  'id' | 'thread' | 'blob' | 'size' | 'received_at' | 'unread' | 'keywords' | 'mailboxes'
>

/** Numbers of the email's mailboxes. */
export function mailboxesOf(email: EmailRow): number[] {
  return email.mailboxes === '' ? [] : email.mailboxes.split(',').map(Number)
}

/** null: the column is not JSON. */
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

/** Faults of keys that are missing, unexpected, or found twice. */
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
    ...actual.filter((key) => !wanted.has(key)).map((key) => ({ account, kind, detail: `${key} is not expected` })),
    ...twice.map((key) => ({ account, kind, detail: `${key} is there twice` })),
  ]
}

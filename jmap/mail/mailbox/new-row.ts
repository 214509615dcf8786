import type { AccountUnit } from '../../../storage/ports.ts'
import type { MailboxTable } from '../../../storage/schema/tables.ts'
import { nameKey } from '../../message/mailbox-name.ts'
import type { Columns } from './columns.ts'

/** Counts of a mailbox without emails. */
export const NO_EMAILS = {
  total_emails: 0,
  unread_emails: 0,
  total_threads: 0,
  unread_threads: 0,
  own_unread_threads: 0,
}

/** The row of a mailbox that is created now. */
export function newRow(unit: AccountUnit, id: number, columns: Omit<Columns, 'name_key'>): MailboxTable {
  return {
    account: unit.account,
    id,
    ...columns,
    name_key: nameKey(columns.name),
    ...NO_EMAILS,
    created_at: unit.now,
  }
}

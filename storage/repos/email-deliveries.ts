/** What delivery found and did about emails from outside. An email that was only put into the inbox has no row. */
import { amongNumbers } from '../among-numbers.ts'
import { insertRow } from '../insert-row.ts'
import type { AccountUnit, Reader } from '../ports.ts'
import type { EmailDeliveryTable } from '../schema/email-delivery.ts'
import { statement } from '../statement.ts'

const insert = insertRow('email_delivery')

export async function insertEmailDelivery(unit: AccountUnit, row: Omit<EmailDeliveryTable, 'account'>): Promise<void> {
  await unit.sql.all(insert, { account: unit.account, ...row })
}

const ofEmails = statement<{ account: number; ids: string }>()((db, p) =>
  db
    .selectFrom('email_delivery')
    .selectAll()
    .where('account', '=', p('account'))
    .where(amongNumbers(db, 'email', p('ids'))),
)

export async function findEmailDeliveries(
  reader: Reader,
  account: number,
  emails: readonly number[],
): Promise<EmailDeliveryTable[]> {
  if (emails.length === 0) return []
  return reader.sql.all(ofEmails, { account, ids: JSON.stringify(emails) })
}

const setTrace = statement<{ account: number; email: number; trace: string }>()((db, p) =>
  db
    .updateTable('email_delivery')
    .set({ trace: p('trace') })
    .where('account', '=', p('account'))
    .where('email', '=', p('email')),
)

export async function updateTrace(unit: AccountUnit, email: number, trace: string): Promise<void> {
  await unit.sql.all(setTrace, { account: unit.account, email, trace })
}

const remove = statement<{ account: number; email: number }>()((db, p) =>
  db.deleteFrom('email_delivery').where('account', '=', p('account')).where('email', '=', p('email')),
)

export async function deleteEmailDelivery(unit: AccountUnit, email: number): Promise<void> {
  await unit.sql.all(remove, { account: unit.account, email })
}

/** The owner of a mailbox, for letters in their name or to them. */
import type { Reader } from '../../../storage/ports.ts'
import { findAccount } from '../../../storage/repos/accounts.ts'
import { findStored } from '../../type/object-store.ts'
import { MailAccount } from './mail-account.type.ts'

export interface Owner {
  readonly account: number
  readonly organization: number
  readonly address: string
  readonly name: string | null
  /** A language tag; null: English. */
  readonly language: string | null
}

/** null: the mailbox was deleted or is suspended. */
export async function findOwner(reader: Reader, account: number): Promise<Owner | null> {
  const row = await findAccount(reader, account)
  if (!row || row.suspended_at !== null || row.organization === null) return null
  const mailbox = await findStored(reader, row.organization, MailAccount, account)
  if (!mailbox) return null
  const { address, displayName, language } = mailbox.data
  return { account, organization: row.organization, address, name: displayName, language }
}

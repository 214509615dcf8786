/** Which emails are made of which blobs of an account. */
import type { Reader } from '../ports.ts'

export interface EmailOfBlob {
  readonly blob: number
  readonly id: number
  readonly thread: number
  /** Numbers of its mailboxes, with commas between. */
  readonly mailboxes: string
}

/** @param blobs at most IN_LIST_MAX */
export async function emailsOfBlobs(reader: Reader, account: number, blobs: readonly number[]): Promise<EmailOfBlob[]> {
  if (blobs.length === 0) return []
  return reader.sql.query((db) =>
    db
      .selectFrom('email')
      .select(['blob', 'id', 'thread', 'mailboxes'])
      .where('account', '=', account)
      .where('blob', 'in', blobs)
      .orderBy('id'),
  )
}

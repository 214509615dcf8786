/** Emails by their blobs. */
import type { Reader } from '../ports.ts'

export interface EmailOfBlob {
  readonly blob: number
  readonly id: number
  readonly thread: number
  /** Comma-separated numbers of its mailboxes. */
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

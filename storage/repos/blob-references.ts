/** Emails and events by their blobs. */
import type { Reader } from '../ports.ts'
import { findInSlices } from './slices.ts'

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

/** Events that have one of these blobs attached. */
export async function eventsOfBlobs(
  reader: Reader,
  account: number,
  blobs: readonly number[],
): Promise<{ readonly blob: number; readonly id: number }[]> {
  return findInSlices(blobs, (slice) =>
    reader.sql.query((db) =>
      db
        .selectFrom('calendar_event_blob')
        .select(['blob', 'calendar_event as id'])
        .where('account', '=', account)
        .where('blob', 'in', slice)
        .orderBy('calendar_event'),
    ),
  )
}

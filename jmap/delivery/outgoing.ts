/** Queues messages that the server writes itself. They are in no mailbox, and do not count as sends (decision D8). */
import type { AccountUnit, Unit } from '../../storage/ports.ts'
import { rememberedKeys, rememberKey } from '../../storage/repos/delivery-memory.ts'
import { insertSubmission, type NewSubmission } from '../../storage/repos/submissions.ts'
import { findSuppression } from '../../storage/repos/suppressions.ts'
import { type PreparedBlob, recordBlob, referTo } from '../mail/blob/blobs.ts'
import { destinationOf } from '../mail/submission/sending.ts'
import type { Answer } from './answer.ts'

export interface PreparedAnswer extends Answer {
  readonly blob: PreparedBlob
}

/** Inside a unit of work: null when the reply is queued, else why not, in words. @param thread of the answered message */
export async function queueAnswer(
  work: Unit,
  unit: AccountUnit,
  answer: PreparedAnswer,
  thread: number,
): Promise<string | null> {
  const { key, forMs } = answer
  if ((await rememberedKeys(unit, unit.account, 'answer', [key], unit.now)).size > 0) return 'the sender had one lately'
  // Decision D25: nothing is sent to a suppressed address.
  if (await findSuppression(unit, unit.organization, answer.to)) return 'the address of the sender is suppressed'
  await rememberKey(unit, 'answer', key, unit.now + forMs)
  await queueFromServer(work, unit, answer, thread)
  return null
}

export interface ServerMessage {
  readonly blob: PreparedBlob
  readonly to: string
  /** Address of the mailbox, which gets a report when the message cannot be delivered. Default: there is no report. */
  readonly mailFrom?: string
}

/**
 * Inside a unit of work: queues a message of the server to one address.
 * @param thread that it belongs to
 * @returns number of the email that it would be
 */
export async function queueFromServer(
  work: Unit,
  unit: AccountUnit,
  { blob, to, mailFrom = '' }: ServerMessage,
  thread: number,
): Promise<number> {
  await recordBlob(work, blob)
  const id = unit.nextObject()
  const email = unit.nextObject()
  const { account, now } = unit
  const row: NewSubmission = {
    account,
    id,
    identity: 0,
    // As for an email that was destroyed after it was sent (RFC 8621 7).
    email,
    thread,
    blob: await referTo(unit, blob, 'message/rfc822', null),
    // RFC 3834 3.3: no bounce of an automatic reply comes back.
    mail_from: mailFrom,
    parameters: '{}',
    send_at: now,
    undo_status: 'final',
    due_at: now,
    created_at: now,
    message_id: null,
  }
  const parameters = mailFrom === '' ? JSON.stringify({ NOTIFY: 'NEVER' }) : 'null'
  const recipient = { address: to, destination: destinationOf(to), parameters }
  await insertSubmission(unit, row, [recipient])
  unit.change('EmailSubmission', id, 'c')
  return email
}

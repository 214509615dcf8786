/** Puts what the server itself writes into the queue of outgoing mail. It lies in no mailbox, and counts as no send (decision D8). */
import type { AccountUnit, Unit } from '../../../storage/ports.ts'
import { rememberedKeys, rememberKey } from '../../../storage/repos/delivery-memory.ts'
import { insertSubmission, type NewSubmission } from '../../../storage/repos/submissions.ts'
import { findSuppression } from '../../../storage/repos/suppressions.ts'
import { type PreparedBlob, recordBlob, referTo } from '../blobs.ts'
import { destinationOf } from '../submission/sending.ts'
import type { Answer } from './answer.ts'

export interface PreparedAnswer extends Answer {
  readonly blob: PreparedBlob
}

/** Inside: null when it is sent, else why it is not, in words. @param thread of the message that is answered */
export async function queueAnswer(
  work: Unit,
  unit: AccountUnit,
  answer: PreparedAnswer,
  thread: number,
): Promise<string | null> {
  const { key, forMs } = answer
  if ((await rememberedKeys(unit, unit.account, 'answer', [key], unit.now)).size > 0) return 'the sender had one lately'
  // Decision D25: nothing at all is sent there.
  if (await findSuppression(unit, unit.organization, answer.to)) return 'the address of the sender is suppressed'
  await rememberKey(unit, 'answer', key, unit.now + forMs)
  await queueFromServer(work, unit, answer, thread)
  return null
}

/** Inside: a message that nobody wrote, to one address. Nothing comes back of it. @param thread of what it is about */
export async function queueFromServer(
  work: Unit,
  unit: AccountUnit,
  { blob, to }: { readonly blob: PreparedBlob; readonly to: string },
  thread: number,
): Promise<void> {
  await recordBlob(work, blob)
  const id = unit.nextObject()
  const { account, now } = unit
  const row: NewSubmission = {
    account,
    id,
    identity: 0,
    // As of an email that was destroyed after it was sent (RFC 8621 7).
    email: unit.nextObject(),
    thread,
    blob: await referTo(unit, blob, 'message/rfc822', null),
    // RFC 3834 3.3: whatever comes of it, nothing comes back.
    mail_from: '',
    parameters: '{}',
    send_at: now,
    undo_status: 'final',
    due_at: now,
    created_at: now,
    message_id: null,
  }
  const recipient = { address: to, destination: destinationOf(to), parameters: JSON.stringify({ NOTIFY: 'NEVER' }) }
  await insertSubmission(unit, row, [recipient])
  unit.change('EmailSubmission', id, 'c')
}

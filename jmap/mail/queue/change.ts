/** Queue/change, a vendor method. */
import { QUEUE_LIST_MAX } from '../../../server/base/outbound-limits.ts'
import type { AccountUnit } from '../../../storage/ports.ts'
import { deleteOutgoing, lockOutgoing, outgoingOf, updateOutgoing } from '../../../storage/repos/outgoing.ts'
import { noteAttempt, recipientsOf } from '../../../storage/repos/submission-recipients.ts'
import { finishSubmission } from '../../../storage/repos/submissions.ts'
import type { OutgoingTable } from '../../../storage/schema/tables.ts'
import { normaliseDomain } from '../../message/mail-address.ts'
import { MethodError, type SetError, setError } from '../../protocol/errors.ts'
import { setOwn } from '../../protocol/json-object.ts'
import type { MethodContext } from '../../type/context.ts'
import { implement } from '../../type/method.ts'
import type { CheckedFor } from '../../type/method-declaration.ts'
import { EmailSubmission } from '../submission/email-submission.type.ts'
import { visibleAccounts } from './list.ts'
import { type QueueAction, QueueChange } from './queue.type.ts'

export const queueChangeMethod = implement(QueueChange, change)

async function change(
  method: MethodContext,
  { submissionIds, destination: given, action }: CheckedFor<typeof QueueChange>,
) {
  const ids = [...new Set(submissionIds)]
  if (ids.length > QUEUE_LIST_MAX) throw new MethodError('requestTooLarge', `At most ${QUEUE_LIST_MAX} ids.`)
  const destination = given === null ? null : (normaliseDomain(given) ?? given.toLowerCase())
  const visible = new Set(await method.read((reader) => visibleAccounts(method, reader)))
  const changed: string[] = []
  const notChanged: { [id: string]: SetError } = {}
  for (const id of ids) {
    const decoded = method.services.ids.decode(EmailSubmission, id)
    const error =
      decoded && visible.has(decoded.account)
        ? await method.services.store.write([decoded.account], (work) =>
            changeOne(work.account(decoded.account), decoded.object, destination, action),
          )
        : setError('notFound')
    if (error) setOwn(notChanged, id, error)
    else changed.push(id)
  }
  return {
    accountId: method.account.id,
    changed: changed.length > 0 ? changed : null,
    notChanged: Object.keys(notChanged).length > 0 ? notChanged : null,
  }
}

async function changeOne(
  unit: AccountUnit,
  submission: number,
  destination: string | null,
  action: QueueAction,
): Promise<SetError | null> {
  const rows = (await lockOutgoing(unit, submission)).filter(
    (row) => destination === null || row.destination === destination,
  )
  if (rows.length === 0) return setError('notFound')
  const underWay = rows.some(({ lease, due_at }) => lease !== null && due_at > unit.now)
  // A worker may have handed the message over already: it cannot be recalled, and must not be sent twice at once.
  if (underWay && (action === 'delete' || action === 'retry'))
    return setError('forbidden', 'It is being sent at this moment.')
  for (const row of rows) await apply(unit, row, action)
  unit.change(EmailSubmission.name, submission, 'u', ['deliveryStatus'])
  return null
}

async function apply(unit: AccountUnit, row: OutgoingTable, action: QueueAction): Promise<void> {
  if (action === 'delete') return takeOut(unit, row)
  if (action === 'retry') return updateOutgoing(unit, row, { due_at: unit.now, lease: null })
  return updateOutgoing(unit, row, { held: action === 'hold' ? 1 : 0 })
}

const TAKEN_OUT = '550 5.7.0 Taken out of the queue by an administrator'

/** The sender sees it in deliveryStatus. No notification is sent, because an operator may delete thousands of messages. */
async function takeOut(unit: AccountUnit, { submission, destination }: OutgoingTable): Promise<void> {
  for (const recipient of await recipientsOf(unit, unit.account, submission)) {
    if (recipient.status !== 'open' || recipient.destination !== destination) continue
    const outcome = { status: 'refused', smtp_reply: TAKEN_OUT, host: null } as const
    await noteAttempt(unit, submission, recipient.position, outcome)
  }
  await deleteOutgoing(unit, submission, destination)
  if ((await outgoingOf(unit, unit.account, submission)).length === 0) await finishSubmission(unit, submission)
}

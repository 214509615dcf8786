/** Queue/list, a vendor method. */
import { mayUseMailbox } from '../../../server/base/principal.ts'
import type { Reader } from '../../../storage/ports.ts'
import { listAccounts } from '../../../storage/repos/accounts.ts'
import { listOutgoing, type OutgoingKey } from '../../../storage/repos/outgoing.ts'
import { recipientsOf } from '../../../storage/repos/submission-recipients.ts'
import { findSubmission } from '../../../storage/repos/submissions.ts'
import type { OutgoingTable } from '../../../storage/schema/tables.ts'
import { normaliseDomain } from '../../message/mail-address.ts'
import { pacesIn } from '../../policy/reputation/pace.ts'
import { invalidArguments } from '../../protocol/errors.ts'
import { formatUTCDate } from '../../protocol/primitives.ts'
import type { MethodContext } from '../../type/context.ts'
import { implement } from '../../type/method.ts'
import type { CheckedFor } from '../../type/method-declaration.ts'
import { EmailSubmission } from '../submission/email-submission.type.ts'
import { type QueueEntry, QueueList } from './queue.type.ts'

export const queueListMethod = implement(QueueList, (method, args) =>
  method.read((reader) => list(method, reader, args)),
)

async function list(method: MethodContext, reader: Reader, args: CheckedFor<typeof QueueList>) {
  const { limit, submissionId, destination } = args
  const found = submissionId === null ? null : method.services.ids.decode(EmailSubmission, submissionId)
  const filter = {
    accounts: await visibleAccounts(method, reader),
    destination: destination === null ? null : (normaliseDomain(destination) ?? destination.toLowerCase()),
    held: args.isHeld,
    submission: submissionId === null ? null : { account: found?.account ?? 0, id: found?.object ?? 0 },
    after: readPlace(method, args.after),
    limit: limit + 1,
  }
  const rows = await listOutgoing(reader, filter)
  const shown = rows.slice(0, limit)
  const entries: QueueEntry[] = []
  const pace = (await pacesIn(reader, method.services)).get(method.account.number) ?? 1
  for (const row of shown) entries.push(await presentEntry(method, reader, row, pace))
  return {
    accountId: method.account.id,
    list: entries,
    next: rows.length > limit ? placeOf(method, shown.at(-1)!) : null,
  }
}

/** Mailbox accounts of the organization that the principal may use. */
export async function visibleAccounts(method: MethodContext, reader: Reader): Promise<number[]> {
  const organization = method.account.number
  const accounts = await listAccounts(reader, { kind: 'mailbox', organization })
  return accounts.map(({ id }) => id).filter((id) => mayUseMailbox(method.request.principal, organization, id))
}

async function presentEntry(
  method: MethodContext,
  reader: Reader,
  row: OutgoingTable,
  pace: number,
): Promise<QueueEntry> {
  const { ids, clock } = method.services
  const submission = await findSubmission(reader, row.account, row.submission)
  const recipients = await recipientsOf(reader, row.account, row.submission)
  const open = recipients.filter(({ status, destination }) => status === 'open' && destination === row.destination)
  const said = open.find(({ smtp_reply }) => smtp_reply !== null)?.smtp_reply ?? null
  const why = stateOf(row, said, clock.now(), pace)
  return {
    submissionId: ids.encode(EmailSubmission, row.account, row.submission),
    mailAccountId: ids.accountId('mailbox', row.account),
    mailFrom: submission?.mail_from ?? '',
    queuedAt: formatUTCDate(submission?.send_at ?? row.due_at),
    destination: row.destination,
    attempts: row.attempts,
    nextAttemptAt: why.state === 'held' || why.state === 'suspended' ? null : formatUTCDate(row.due_at),
    ...why,
    recipients: open.map((one) => ({
      email: one.address,
      smtpReply: one.smtp_reply,
      host: one.host,
      triedAt: one.tried_at === null ? null : formatUTCDate(one.tried_at),
    })),
  }
}

/**
 * Why the message waits, in words.
 * @param said the last reply of a server, if there was one
 * @param pace fraction of its usual share of the queue that the organization gets at present
 */
function stateOf(
  { held, lease, due_at, attempts }: OutgoingTable,
  said: string | null,
  now: number,
  pace: number,
): Pick<QueueEntry, 'state' | 'reason'> {
  if (held === 1) return { state: 'held', reason: 'An administrator keeps it back.' }
  if (lease !== null && due_at > now) return { state: 'sending', reason: 'It is being sent.' }
  if (pace === 0) return { state: 'suspended', reason: 'The organization may not send: its reputation suspended it.' }
  if (attempts > 0 && said !== null && due_at > now)
    return { state: 'deferred', reason: `The last attempt was answered: ${said}` }
  if (due_at > now) return { state: 'scheduled', reason: 'Its time has not come.' }
  if (pace < 1)
    return {
      state: 'queued',
      reason: `It waits for its turn: the organization is throttled by its reputation, to ${pace * 100} % of its usual room.`,
    }
  return {
    state: 'queued',
    reason: 'It waits for its turn: the destination or the organization has its share under way.',
  }
}

function placeOf(method: MethodContext, { account, submission, destination }: OutgoingKey): string {
  return `${method.services.ids.encode(EmailSubmission, account, submission)} ${destination}`
}

function readPlace(method: MethodContext, text: string | null): OutgoingKey | null {
  if (text === null) return null
  const [id = '', destination] = text.split(' ')
  const decoded = method.services.ids.decode(EmailSubmission, id)
  if (!decoded || destination === undefined) throw invalidArguments('It is not the place of a page.', ['after'])
  return { account: decoded.account, submission: decoded.object, destination }
}

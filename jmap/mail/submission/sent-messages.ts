/** SentMessage/query and SentMessage/get, vendor methods. */
import { MAX_QUERY_IDS } from '../../../server/base/limits.ts'
import { mayUseMailbox } from '../../../server/base/principal.ts'
import type { Reader } from '../../../storage/ports.ts'
import { findAccount, listAccounts } from '../../../storage/repos/accounts.ts'
import { findEmails } from '../../../storage/repos/emails.ts'
import { type SentPlace, selectSent } from '../../../storage/repos/sent-messages.ts'
import { submissionsOfEmails } from '../../../storage/repos/submissions.ts'
import { invalidArguments, MethodError } from '../../protocol/errors.ts'
import { epochOf, formatUTCDate } from '../../protocol/primitives.ts'
import type { MethodContext } from '../../type/context.ts'
import { implement } from '../../type/method.ts'
import { Email } from '../email/email.type.ts'
import { Thread } from '../thread/thread.type.ts'
import { deliveriesOfSubmissions } from './delivery.ts'
import { EmailSubmission } from './email-submission.type.ts'
import { type SentMessage, SentMessageGet, type SentMessagePlace, SentMessageQuery } from './sent-message.type.ts'
import { type SentRecord, sentRecordOf } from './sent-record.ts'

export const sentMessageQuery = implement(SentMessageQuery, async (method, { filter, limit }) => {
  const { mailboxId, status, tag = null, recipient = null, createdAfter, createdBefore, after } = filter ?? {}
  const ids = await method.read(async (reader) => {
    const places = await selectSent(
      reader,
      {
        organization: method.account.number,
        accounts: await accountsOf(method, reader, mailboxId),
        undoStatus: status === undefined ? null : status === 'scheduled' ? 'pending' : 'canceled',
        tag,
        recipient,
        from: createdAfter === undefined ? null : epochOf(createdAfter),
        before: createdBefore === undefined ? null : epochOf(createdBefore),
        after: after ? placeOf(method, after) : null,
      },
      Math.min(limit ?? MAX_QUERY_IDS, MAX_QUERY_IDS),
    )
    return places.map(({ account, email }) => method.services.ids.encode(Email, account, email))
  })
  return { accountId: method.account.id, ids }
})

export const sentMessageGet = implement(SentMessageGet, async (method, args) => {
  const ids = [...new Set(args.ids)]
  const { maxObjectsInGet } = method.services.limits
  if (ids.length > maxObjectsInGet) throw new MethodError('requestTooLarge', `At most ${maxObjectsInGet} ids.`)
  return method.read(async (reader) => {
    const found = await findSent(method, reader, ids)
    const list = ids.flatMap((id) => found.get(id) ?? [])
    return { accountId: method.account.id, list, notFound: ids.filter((id) => !found.has(id)) }
  })
})

/** Numbers of the mailboxes to list; null: all of the organization. */
async function accountsOf(
  method: MethodContext,
  reader: Reader,
  mailboxId: string | undefined,
): Promise<number[] | null> {
  const { principal } = method.request
  const mayUse = (account: number) => mayUseMailbox(principal, method.account.number, account)
  if (mailboxId !== undefined) {
    const account = method.services.ids.accountNumber('mailbox', mailboxId)
    return account !== null && mayUse(account) ? [account] : []
  }
  if (principal.mailboxes === 'all') return null
  const accounts = await listAccounts(reader, { kind: 'mailbox' })
  return accounts
    .filter(({ id, organization }) => organization === method.account.number && mayUse(id))
    .map(({ id }) => id)
}

/** @throws MethodError */
function placeOf({ services }: MethodContext, { submittedAt, submissionId }: SentMessagePlace): SentPlace {
  const decoded = services.ids.decode(EmailSubmission, submissionId)
  if (!decoded) throw invalidArguments('filter.after is no place in the list.', ['filter'])
  return { created_at: epochOf(submittedAt), account: decoded.account, id: decoded.object }
}

/** The sent messages, by id, of those that exist and may be read. */
async function findSent(
  method: MethodContext,
  reader: Reader,
  ids: readonly string[],
): Promise<ReadonlyMap<string, SentMessage>> {
  const { services, request, account: organization } = method
  const wanted = ids.flatMap((id) => {
    const decoded = services.ids.decode(Email, id)
    return decoded?.part === 0 && mayUseMailbox(request.principal, organization.number, decoded.account)
      ? [decoded]
      : []
  })
  const found = new Map<string, SentMessage>()
  for (const [number, decoded] of Map.groupBy(wanted, ({ account }) => account)) {
    const account = await findAccount(reader, number)
    if (account?.organization !== organization.number) continue
    const emails = decoded.map(({ object }) => object)
    for (const message of await sentMessagesOf(method, reader, number, emails)) found.set(message.id, message)
  }
  return found
}

/** The same of one mailbox. */
async function sentMessagesOf(
  { services: { ids, clock } }: MethodContext,
  reader: Reader,
  account: number,
  emails: readonly number[],
): Promise<SentMessage[]> {
  // Notices and automatic replies of the server have the null sender.
  const rows = (await submissionsOfEmails(reader, account, emails)).filter(({ mail_from }) => mail_from !== '')
  const present = rows.filter(({ kept }) => kept === null).map(({ email }) => email)
  const emailOf = new Map((await findEmails(reader, account, present)).map((email) => [email.id, email]))
  const deliveries = await deliveriesOfSubmissions(reader, account, rows, clock.now())
  return rows.map((row) => {
    const email = emailOf.get(row.email)
    return {
      id: ids.encode(Email, account, row.email),
      mailboxId: ids.accountId('mailbox', account),
      threadId: ids.encode(Thread, account, row.thread),
      submissionId: ids.encode(EmailSubmission, account, row.id),
      submittedAt: formatUTCDate(row.created_at),
      isDeleted: row.kept !== null,
      email: row.kept === null ? (email ? sentRecordOf(email) : null) : (JSON.parse(row.kept) as SentRecord),
      ...deliveries.get(row.id)!,
    }
  })
}

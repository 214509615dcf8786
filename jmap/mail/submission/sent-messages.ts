/** SentMessage/query and SentMessage/get, vendor methods. */
import { MAX_QUERY_IDS } from '../../../server/base/limits.ts'
import { mayUseMailbox } from '../../../server/base/principal.ts'
import type { Reader } from '../../../storage/ports.ts'
import { findAccount, listAccounts } from '../../../storage/repos/accounts.ts'
import { findEmail } from '../../../storage/repos/emails.ts'
import { type SentPlace, selectSent } from '../../../storage/repos/sent-messages.ts'
import { findSubmission, submissionOfEmail } from '../../../storage/repos/submissions.ts'
import type { SubmissionTable } from '../../../storage/schema/tables.ts'
import { invalidArguments, MethodError } from '../../protocol/errors.ts'
import { epochOf, formatUTCDate } from '../../protocol/primitives.ts'
import type { MethodContext } from '../../type/context.ts'
import { implement } from '../../type/method.ts'
import { Email } from '../email/email.type.ts'
import { Thread } from '../thread/thread.type.ts'
import { deliveryOfSubmission } from './delivery.ts'
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
    const found: string[] = []
    for (const { account, id } of places) {
      const { email } = (await findSubmission(reader, account, id))!
      found.push(method.services.ids.encode(Email, account, email))
    }
    return found
  })
  return { accountId: method.account.id, ids }
})

export const sentMessageGet = implement(SentMessageGet, async (method, args) => {
  const ids = [...new Set(args.ids)]
  const { maxObjectsInGet } = method.services.limits
  if (ids.length > maxObjectsInGet) throw new MethodError('requestTooLarge', `At most ${maxObjectsInGet} ids.`)
  return method.read(async (reader) => {
    const list: SentMessage[] = []
    const notFound: string[] = []
    for (const id of ids) {
      const record = await find(method, reader, id)
      if (record) list.push(record)
      else notFound.push(id)
    }
    return { accountId: method.account.id, list, notFound }
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

async function find(method: MethodContext, reader: Reader, id: string) {
  const { services, request, account: organization } = method
  const decoded = services.ids.decode(Email, id)
  if (decoded?.part !== 0 || !mayUseMailbox(request.principal, organization.number, decoded.account)) return null
  const account = await findAccount(reader, decoded.account)
  if (account?.organization !== organization.number) return null
  const row = await submissionOfEmail(reader, decoded.account, decoded.object)
  return row && row.mail_from !== '' ? present(method, reader, row) : null
}

async function present(method: MethodContext, reader: Reader, row: SubmissionTable): Promise<SentMessage> {
  const { ids, clock } = method.services
  const { account } = row
  const email = row.kept === null ? await findEmail(reader, account, row.email) : null
  return {
    id: ids.encode(Email, account, row.email),
    mailboxId: ids.accountId('mailbox', account),
    threadId: ids.encode(Thread, account, row.thread),
    submissionId: ids.encode(EmailSubmission, account, row.id),
    submittedAt: formatUTCDate(row.created_at),
    isDeleted: row.kept !== null,
    email: row.kept === null ? email && sentRecordOf(email) : (JSON.parse(row.kept) as SentRecord),
    ...(await deliveryOfSubmission(reader, clock.now(), row)),
  }
}

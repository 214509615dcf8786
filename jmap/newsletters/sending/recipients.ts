/** Newsletter/recipients: a vendor method (decision D19). */
import { listRecipients } from '../../../storage/repos/newsletter-recipients.ts'
import type { NewsletterRecipientTable } from '../../../storage/schema/tables.ts'
import { formatUTCDate } from '../../protocol/primitives.ts'
import type { MethodContext } from '../../type/context.ts'
import { implement } from '../../type/method.ts'
import { openNewsletter } from '../newsletter/compile.ts'
import { NewsletterRecipients } from '../newsletter/newsletter.type.ts'
import { NEWSLETTER_RECIPIENT } from '../run/recipient-ids.ts'
import { Subscriber } from '../subscriber/subscriber.type.ts'

export const recipientsMethod = implement(NewsletterRecipients, async (method, args) => {
  const { status, limit } = args
  const after = args.after === null ? null : (method.number(NEWSLETTER_RECIPIENT, args.after) ?? 0)
  const rows = await method.read(async (reader) => {
    const { row } = await openNewsletter(method, reader, method.resolveId(args.newsletterId))
    const of = { account: method.account.number, newsletter: row.id }
    return listRecipients(reader, { ...of, status, after, limit: limit + 1 })
  })
  return {
    accountId: method.account.id,
    list: rows.slice(0, limit).map((row) => present(method, row)),
    hasMore: rows.length > limit,
  }
})

function present(method: MethodContext, row: NewsletterRecipientTable) {
  const time = (at: number | null) => (at === null ? null : formatUTCDate(at))
  return {
    id: method.id(NEWSLETTER_RECIPIENT, row.id),
    subscriberId: method.id(Subscriber, row.subscriber),
    email: row.address,
    status: row.status,
    reason: row.reason,
    complained: row.complained !== 0,
    unsubscribed: row.unsubscribed !== 0,
    queuedAt: time(row.queued_at),
    finishedAt: time(row.finished_at),
  }
}

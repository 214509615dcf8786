/** Somebody has unsubscribed by a newsletter: its statistics count that (decision D19). */
import type { IdCodec, IdKind } from '../../../server/base/ids.ts'
import type { AccountUnit } from '../../../storage/ports.ts'
import { recipientOfSubscriber, updateRecipients } from '../../../storage/repos/newsletter-recipients.ts'
import { findRun, updateRun } from '../../../storage/repos/newsletter-runs.ts'

/** The type itself stands in a room above. */
const NEWSLETTER: IdKind & { readonly name: string } = { idPrefix: 'nws', name: 'Newsletter' }

/** @param newsletterId of the organization. One that was deleted counts nothing. */
export async function countUnsubscription(
  unit: AccountUnit,
  ids: IdCodec,
  newsletterId: string,
  subscriber: number,
): Promise<void> {
  const newsletter = ids.decode(NEWSLETTER, newsletterId)?.object ?? 0
  const recipient = await recipientOfSubscriber(unit, unit.account, newsletter, subscriber)
  const run = recipient && (await findRun(unit, unit.account, newsletter))
  if (!run || recipient.unsubscribed === 1) return
  await updateRecipients(unit, [recipient.id], { unsubscribed: 1 })
  await updateRun(unit, newsletter, { unsubscribed: run.unsubscribed + 1 })
  unit.change(NEWSLETTER.name, newsletter, 'u', ['stats'])
}

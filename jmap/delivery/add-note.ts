/** What happens after a delivery, in its record: the owner reads it as `deliveryTrace`. */
import type { AccountUnit } from '../../storage/ports.ts'
import { findEmailDeliveries, updateTrace } from '../../storage/repos/email-deliveries.ts'
import { Email } from '../mail/email/email.type.ts'
import type { DeliveryNote } from './delivery-log.ts'

/** Without effect if the email no longer exists. */
export async function addNotes(unit: AccountUnit, email: number, notes: readonly DeliveryNote[]): Promise<void> {
  const [kept] = await findEmailDeliveries(unit, unit.account, [email])
  if (!kept || notes.length === 0) return
  await updateTrace(unit, email, JSON.stringify([...Email.properties.deliveryTrace.fromText(kept.trace), ...notes]))
  unit.change(Email.name, email, 'u', ['deliveryTrace'])
}

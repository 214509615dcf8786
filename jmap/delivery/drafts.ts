import type { AccountUnit, Unit } from '../../storage/ports.ts'
import { recordBlob } from '../mail/blob/blobs.ts'
import { type PreparedEmail, storeEmail } from '../mail/email/store-email.ts'
import { mailboxesByRole } from '../mail/mailbox/counts.ts'
import type { Services } from '../type/context.ts'

/** Inside a unit of work: stores a draft reply for the owner to review and send. */
export async function storeDraft(
  services: Services,
  work: Unit,
  unit: AccountUnit,
  draft: PreparedEmail,
): Promise<void> {
  const roles = await mailboxesByRole(unit)
  await recordBlob(work, draft.blob)
  await storeEmail(services, unit, draft, {
    mailboxes: [roles.get('drafts') ?? roles.get('inbox')!],
    keywords: ['$draft', '$seen'],
    receivedAt: unit.now,
    source: 'rule',
  })
}

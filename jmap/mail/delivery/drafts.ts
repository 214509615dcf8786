import type { AccountUnit, Unit } from '../../../storage/ports.ts'
import type { Services } from '../../context.ts'
import { recordBlob } from '../blobs.ts'
import { mailboxesByRole } from '../counts.ts'
import { type PreparedEmail, storeEmail } from '../ingest.ts'

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

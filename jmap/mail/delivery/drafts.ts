import type { AccountUnit, Unit } from '../../../storage/ports.ts'
import type { Services } from '../../context.ts'
import { recordBlob } from '../blobs.ts'
import { mailboxesByRole } from '../counts.ts'
import { type PreparedMessage, storeMessage } from '../ingest.ts'

/** Inside: a reply that a rule wrote, for the owner to look over and send. */
export async function storeDraft(
  services: Services,
  work: Unit,
  unit: AccountUnit,
  draft: PreparedMessage,
): Promise<void> {
  const roles = await mailboxesByRole(unit)
  await recordBlob(work, draft.blob)
  await storeMessage(services, unit, draft, {
    mailboxes: [roles.get('drafts') ?? roles.get('inbox')!],
    keywords: ['$draft', '$seen'],
    receivedAt: unit.now,
    source: 'rule',
  })
}

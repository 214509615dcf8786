/**
 * Letters from the server to the owners of an organization. People have no logins of their own yet: the owner's mailbox is the oldest of
 * the organization, which setting up makes. An organization without a mailbox has no one to tell, and the log has to do. A letter goes
 * past rules and webhooks: one that says that a webhook fails must not be an event for that webhook.
 */
import { randomUUID } from 'node:crypto'
import { errorMessage } from '../../server/base/errors.ts'
import { listAccounts } from '../../storage/repos/accounts.ts'
import type { Services } from '../context.ts'
import { recordBlob } from '../mail/blobs.ts'
import { mailboxesByRole } from '../mail/counts.ts'
import { prepareMessage, storeMessage } from '../mail/ingest.ts'
import { generateMessage } from '../mail/message/generate.ts'
import { formatUTCDate } from '../protocol/primitives.ts'

export interface OwnerLetter {
  readonly subject: string
  readonly text: string
}

/** Never rejects: what it tells of has happened, whether it can be told or not. */
export async function mailOwners(services: Services, organization: number, letter: OwnerLetter): Promise<void> {
  const { store, logger } = services
  try {
    const [box] = await store.read((reader) => listAccounts(reader, { kind: 'mailbox', organization }))
    const bytes = box && write(services, box.name, letter)
    if (!bytes) {
      logger.warn({ organization, subject: letter.subject }, 'an organization has no mailbox to tell its owners in')
      return
    }
    const message = await prepareMessage(store, bytes)
    await store.write([box.id], async (work) => {
      const unit = work.account(box.id)
      if (unit.isDeleted) return
      const mailboxes = [(await mailboxesByRole(unit)).get('inbox')!]
      await recordBlob(work, message.blob)
      await storeMessage(services, unit, message, { mailboxes, keywords: [], receivedAt: unit.now, source: 'inbound' })
    })
  } catch (error) {
    logger.error({ organization, subject: letter.subject, error: errorMessage(error) }, 'owners could not be told')
  }
}

function write({ hosting, clock }: Services, to: string, { subject, text }: OwnerLetter): Uint8Array | null {
  const from = { name: 'Posthouse', email: `postmaster@${hosting.mailHost}` }
  const headers = [
    { name: 'From', form: 'Addresses', value: [from] },
    { name: 'To', form: 'Addresses', value: [{ name: null, email: to }] },
    { name: 'Subject', form: 'Text', value: subject },
    { name: 'Date', form: 'Date', value: formatUTCDate(clock.now()) },
    { name: 'Message-ID', form: 'MessageIds', value: [`${randomUUID()}@${hosting.mailHost}`] },
    // RFC 3834 5: nobody answers it by itself.
    { name: 'Auto-Submitted', form: 'Raw', value: ' auto-generated' },
  ] as const
  return generateMessage({ headers, body: { type: 'text/plain', content: { text } } }).bytes ?? null
}

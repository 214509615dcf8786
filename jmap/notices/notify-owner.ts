/** Sends mail to the owner of an organization. */
import { errorMessage } from '../../server/base/errors.ts'
import type { Reader } from '../../storage/ports.ts'
import { findSuppression } from '../../storage/repos/suppressions.ts'
import { queueFromServer } from '../delivery/outgoing.ts'
import { prepareBlob } from '../mail/blob/blobs.ts'
import { writeNotice } from '../mail/email/notice.ts'
import { MailAccount } from '../mail/mail-account/mail-account.type.ts'
import { domainOf } from '../message/mail-address.ts'
import { Organization } from '../policy/organization.type.ts'
import type { Services } from '../type/context.ts'
import { findStored, listStored } from '../type/object-store.ts'

export interface Owner {
  /** The sending mailbox: the oldest one. */
  readonly mailbox: { readonly account: number; readonly address: string }
  readonly to: string
}

/** null: the organization has no mailbox to send from. */
export async function ownerOf(reader: Reader, organization: number): Promise<Owner | null> {
  const mailboxes = await listStored(reader, organization, MailAccount)
  const first = mailboxes.toSorted((a, b) => a.id - b.id)[0]
  if (!first) return null
  const mailbox = { account: first.id, address: first.data.address }
  const own = await findStored(reader, organization, Organization, organization)
  return { mailbox, to: own?.data.ownerEmail ?? mailbox.address }
}

/** Never rejects: the event has happened, whether or not the mail can be sent. */
export async function notifyOwner(
  { store, clock, logger }: Services,
  organization: number,
  { subject, text }: { readonly subject: string; readonly text: string },
): Promise<void> {
  try {
    const owner = await store.read((reader) => ownerOf(reader, organization))
    if (!owner) {
      logger.warn({ organization, subject }, 'an organization has no mailbox to send mail to its owner from')
      return
    }
    const { mailbox, to } = owner
    const from = `postmaster@${domainOf(mailbox.address)}`
    const blob = await prepareBlob(store, writeNotice({ from, to, subject, text, now: clock.now() }))
    await store.write([mailbox.account], async (work) => {
      const box = work.account(mailbox.account)
      // Decision D25: no mail is sent to a suppressed address.
      if (box.isDeleted || (await findSuppression(box, organization, to))) return
      await queueFromServer(work, box, { blob, to }, box.nextObject())
    })
  } catch (error) {
    logger.error({ organization, subject, error: errorMessage(error) }, 'a mail to an owner could not be queued')
  }
}

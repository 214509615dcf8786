/**
 * Informs owners how much of their plans is used: at 80 % of the sends, 90 % of the mailboxes, and when all of anything is used, each
 * once in a period (decision D27). A mail is queued in the unit of work that records it, so that a crash neither loses nor repeats it.
 */

import type { LongRuns } from '../../server/base/long-runs.ts'
import type { Reader } from '../../storage/ports.ts'
import { listAccounts } from '../../storage/repos/accounts.ts'
import { noteNotices, noticesOf } from '../../storage/repos/owner-notices.ts'
import { sendsOf } from '../../storage/repos/sending-usage.ts'
import { findSuppression } from '../../storage/repos/suppressions.ts'
import { queueFromServer } from '../delivery/outgoing.ts'
import { Alias } from '../directory/alias.type.ts'
import { prepareBlob } from '../mail/blob/blobs.ts'
import { MailAccount } from '../mail/mail-account/mail-account.type.ts'
import { domainOf } from '../message/mail-address.ts'
import { type PresentPlan, planOf } from '../policy/plan.ts'
import type { Services } from '../type/context.ts'
import { listStored } from '../type/object-store.ts'
import { writeLetter } from './letter.ts'
import { type Owner, ownerOf } from './notify-owner.ts'
import { highest, nameOf, type Threshold, type Usage, untold } from './thresholds.ts'

/** Checks every organization. Several nodes may run it at once. */
export function mailOwners(services: Services & { readonly longRuns: LongRuns }): Promise<void> {
  const { store, longRuns } = services
  return longRuns.run('plan notices', async (isStopping) => {
    const organizations = await store.read((reader) => listAccounts(reader, { kind: 'organization' }))
    for (const { id } of organizations) if (!isStopping()) await mailOwner(services, id)
  })
}

interface Due extends Owner {
  readonly present: PresentPlan
  readonly usage: Usage
  readonly thresholds: readonly Threshold[]
}

async function mailOwner(services: Services, organization: number): Promise<void> {
  const { store } = services
  const due = await store.read((reader) => dueOf(services, reader, organization))
  if (!due) return
  const { present, usage, mailbox, to } = due
  const { plan, period } = present
  const from = `postmaster@${domainOf(mailbox.address)}`
  const thresholds = highest(due.thresholds)
  const now = services.clock.now()
  const letter = writeLetter({ from, to, plan: plan.name, usage, thresholds, periodEnd: period.end, now })
  const blob = await prepareBlob(store, letter)
  await store.write([organization, mailbox.account], async (work) => {
    const [unit, box] = [work.account(organization), work.account(mailbox.account)]
    const told = await noticesOf(unit, organization, period.key)
    // Another node has done it.
    if (box.isDeleted || due.thresholds.some((threshold) => told.has(nameOf(threshold)))) return
    await noteNotices(unit, period.key, due.thresholds.map(nameOf))
    // Decision D25: no mail is sent there.
    if (await findSuppression(unit, organization, to)) return
    await queueFromServer(work, box, { blob, to }, box.nextObject())
  })
}

/** null: there is nothing to report, or no address to report to. */
async function dueOf({ limits, clock }: Services, reader: Reader, organization: number): Promise<Due | null> {
  const present = await planOf(reader, limits, organization, clock.now())
  const { plan, period } = present
  if (plan.sends === null && plan.mailboxes === null && plan.aliases === null) return null
  const mailboxes = await listStored(reader, organization, MailAccount)
  const aliases = await listStored(reader, organization, Alias)
  const usage: Usage = {
    sends: { used: await sendsOf(reader, organization, period.key), limit: plan.sends },
    mailboxes: { used: mailboxes.length, limit: plan.mailboxes },
    aliases: { used: aliases.length, limit: plan.aliases },
  }
  const thresholds = untold(usage, await noticesOf(reader, organization, period.key))
  const owner = thresholds.length === 0 ? null : await ownerOf(reader, organization)
  return owner && { present, usage, thresholds, ...owner }
}

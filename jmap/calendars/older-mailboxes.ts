/**
 * At the start: gives mailboxes from before there were calendars what new ones get, a default calendar (JMAP Calendars 4: isDefault) and
 * a participant identity. A client that only reads would see none, because reads do not write.
 */
import { AccountGone } from '../../storage/account-gone.ts'
import type { AccountUnit, Store } from '../../storage/ports.ts'
import { addressesOf } from '../../storage/repos/directory.ts'
import { changeFact, findFact } from '../../storage/repos/installation.ts'
import { mailboxesWithout } from '../../storage/repos/objects.ts'
import { MailAccount } from '../mail/mail-account/mail-account.type.ts'
import { findStored, listStored } from '../type/object-store.ts'
import { Calendar } from './calendar/calendar.type.ts'
import { requireDefaultCalendar } from './calendar/calendars.ts'
import { createParticipantIdentity } from './participant-identity/participant-identities.ts'
import { ParticipantIdentity } from './participant-identity/participant-identity.type.ts'

/** Name of the stored fact: it is done for all mailboxes. Later ones get a calendar when they are made. */
const DONE = 'older_mailboxes_have_calendars'
/** Mailboxes of one read. Their writes share commits. */
const SLICE = 200

export async function completeOlderMailboxes(store: Store): Promise<void> {
  if ((await store.read((reader) => findFact(reader, DONE))) !== null) return
  for (const type of [Calendar, ParticipantIdentity]) {
    let after = 0
    for (;;) {
      const from = after
      const accounts = await store.read((reader) => mailboxesWithout(reader, type.name, from, SLICE))
      await Promise.all(accounts.map((account) => complete(store, account)))
      after = accounts.at(-1) ?? after
      if (accounts.length < SLICE) break
    }
  }
  await store.write([], ({ sql }) => changeFact(sql, DONE, '1'))
}

async function complete(store: Store, account: number): Promise<void> {
  try {
    await store.write([account], async (work) => {
      const unit = work.account(account)
      if (unit.isDeleted) return
      await requireDefaultCalendar(unit)
      await requireParticipantIdentity(unit)
    })
  } catch (error) {
    // Another node has erased it.
    if (!(error instanceof AccountGone)) throw error
  }
}

async function requireParticipantIdentity(unit: AccountUnit): Promise<void> {
  if ((await listStored(unit, unit.account, ParticipantIdentity)).length > 0) return
  const own = (await addressesOf(unit, unit.account)).find(({ kind }) => kind === 'mailbox')
  const mailbox = await findStored(unit, unit.organization, MailAccount, unit.account)
  if (own) await createParticipantIdentity(unit, own.address, mailbox?.data.displayName ?? null)
}

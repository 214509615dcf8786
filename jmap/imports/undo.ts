/**
 * The undo of an import (decision D33): deletes every message that it created, wherever it now is, in slices. What was written since stays.
 * Then the mailboxes that it made go, if they are empty and no rule names them.
 */
import { IMPORT_RETRY_MS, IMPORT_UNDO_BATCH } from '../../server/base/import-limits.ts'
import type { AccountUnit, Unit } from '../../storage/ports.ts'
import { forgetImported, forgetMade, importedEmails, madeMailboxes, updateImport } from '../../storage/repos/imports.ts'
import { deleteMailbox, listMailboxes } from '../../storage/repos/mailboxes.ts'
import { destroyEmail } from '../mail/email/move.ts'
import { rulesByMailbox } from '../mail/inbox-rules/using.ts'
import { forgetRoles } from '../mail/mailbox/counts.ts'
import { Mailbox } from '../mail/mailbox/mailbox.type.ts'
import type { Services } from '../type/context.ts'
import { reportEnd } from './events.ts'
import { Import } from './import.type.ts'
import { ownedUndo, PROGRESS, type TaskRef } from './owned.ts'

/** Deletes some messages. Resolves to whether there may be more. */
export function undoSome(services: Services, task: TaskRef): Promise<boolean> {
  const undo = async (work: Unit) => {
    const unit = work.account(task.account)
    const row = await ownedUndo(unit, task)
    if (!row) return false
    const emails = await importedEmails(unit, unit.account, row.id, IMPORT_UNDO_BATCH)
    let gone = 0
    // An error says that the user has destroyed it.
    for (const email of emails) if ((await destroyEmail(services, unit, email)) === null) gone++
    const last = emails.at(-1)
    if (last !== undefined) await forgetImported(unit, row.id, last)
    const isDone = emails.length < IMPORT_UNDO_BATCH
    await updateImport(unit, row.id, { status: 'undoing', attempts: 0, undone: row.undone + gone })
    if (isDone) {
      await removeMade(services, unit, row.id)
      await updateImport(unit, row.id, { status: 'undone', due_at: null, lease: null, lease_until: 0 })
      await reportEnd(services, unit, row.id, 'undone')
    }
    unit.change(Import.name, row.id, 'u', PROGRESS)
    return !isDone
  }
  // The end is reported to others, so it is durable.
  return services.store.writeInBackground([task.account], undo, 'durable')
}

async function removeMade({ ids }: Services, unit: AccountUnit, imported: number): Promise<void> {
  const rules = await rulesByMailbox(unit)
  const rows = new Map((await listMailboxes(unit, unit.account)).map((row) => [row.id, row]))
  for (const number of await madeMailboxes(unit, unit.account, imported)) {
    const row = rows.get(number)
    const hasChild = [...rows.values()].some(({ parent }) => parent === number)
    if (!row || row.total_emails > 0 || hasChild || rules.has(ids.encode(Mailbox, unit.account, number))) continue
    await deleteMailbox(unit, number)
    unit.change(Mailbox.name, number, 'd')
    rows.delete(number)
  }
  forgetRoles(unit)
  await forgetMade(unit, imported)
}

/** Something failed here: tried again for a while, then the user may try again. */
export async function retryUndo({ store }: Services, task: TaskRef, message: string): Promise<void> {
  await store.write([task.account], async (work) => {
    const unit = work.account(task.account)
    const row = await ownedUndo(unit, task)
    if (!row) return
    const delay = IMPORT_RETRY_MS[row.attempts]
    const released = { lease: null, lease_until: 0, error: JSON.stringify({ code: 'undo_failed', message }) }
    if (delay === undefined) await updateImport(unit, row.id, { ...released, status: 'undo_failed', due_at: null })
    else await updateImport(unit, row.id, { ...released, attempts: row.attempts + 1, due_at: unit.now + delay })
    unit.change(Import.name, row.id, 'u', PROGRESS)
  })
}

/**
 * Counts of mailboxes and threads, updated in the transaction that changes an email (RFC 8621 2). They are computed from the placement
 * of that email before and after, and the thread's counters. The consistency check (storage/check) counts again from nothing.
 */
import { keysOf } from '../../../server/base/known-names.ts'
import type { AccountUnit } from '../../../storage/ports.ts'
import { emailsOfThread } from '../../../storage/repos/emails.ts'
import { addToCounts, type CountDeltas, mailboxRoles } from '../../../storage/repos/mailboxes.ts'
import {
  deleteThread,
  findThread,
  saveThread,
  saveThreadMailbox,
  threadMailboxes,
} from '../../../storage/repos/threads.ts'
import type { ThreadTable } from '../../../storage/schema/tables.ts'

/** The mailboxes and flags of an email that counts depend on. */
export interface Placement {
  readonly mailboxes: readonly number[]
  /** Without $seen and without $draft. */
  readonly unread: boolean
}

export interface EmailChange {
  readonly id: number
  readonly thread: number
  readonly receivedAt: number
  /** The thread was created for this email, so it has no counters to read. */
  readonly isNewThread?: boolean
  readonly before: Placement | null
  readonly after: Placement | null
}

const NOWHERE: Placement = { mailboxes: [], unread: false }

const COUNT_PROPERTIES = {
  total_emails: 'totalEmails',
  unread_emails: 'unreadEmails',
  total_threads: 'totalThreads',
  unread_threads: 'unreadThreads',
  own_unread_threads: 'ownUnreadThreads',
} as const

/** Applies one email's change to its thread and to all mailboxes of the thread, and logs the changes. */
export async function countChange(unit: AccountUnit, change: EmailChange): Promise<void> {
  const trash = await trashOf(unit)
  const before = change.before ?? NOWHERE
  const after = change.after ?? NOWHERE
  const found = change.isNewThread ? null : await findThread(unit, unit.account, change.thread)
  const spread = new Map<number, { total: number; unread: number }>()
  if (found) {
    for (const row of await threadMailboxes(unit, unit.account, change.thread))
      spread.set(row.mailbox, { total: row.total, unread: row.unread })
  }
  const old: ThreadCounters = { elsewhere: found?.unread_elsewhere ?? 0, inTrash: found?.unread_in_trash ?? 0 }
  const next: ThreadCounters = {
    elsewhere: old.elsewhere - unreadElsewhere(before, trash) + unreadElsewhere(after, trash),
    inTrash: old.inTrash - unreadInTrash(before, trash) + unreadInTrash(after, trash),
  }
  for (const mailbox of new Set([...spread.keys(), ...before.mailboxes, ...after.mailboxes])) {
    const was = spread.get(mailbox) ?? { total: 0, unread: 0 }
    const left = before.mailboxes.includes(mailbox)
    const entered = after.mailboxes.includes(mailbox)
    const is = {
      total: was.total - Number(left) + Number(entered),
      unread: was.unread - Number(left && before.unread) + Number(entered && after.unread),
    }
    const deltas: CountDeltas = {
      total_emails: is.total - was.total,
      unread_emails: is.unread - was.unread,
      total_threads: Number(is.total > 0) - Number(was.total > 0),
      unread_threads: countsUnread(mailbox, trash, is.total, next) - countsUnread(mailbox, trash, was.total, old),
      own_unread_threads: Number(is.unread > 0) - Number(was.unread > 0),
    }
    if (is.total !== was.total || is.unread !== was.unread)
      await saveThreadMailbox(unit, { account: unit.account, thread: change.thread, mailbox, ...is })
    await addDeltas(unit, mailbox, deltas)
  }
  await saveCounters(unit, change, found, next)
}

interface ThreadCounters {
  readonly elsewhere: number
  readonly inTrash: number
}

/** RFC 8621 2: emails that are only in Trash do not make a thread unread elsewhere; emails outside Trash do not make it unread in Trash. */
function countsUnread(mailbox: number, trash: number | null, total: number, thread: ThreadCounters): number {
  return Number(total > 0 && (mailbox === trash ? thread.inTrash > 0 : thread.elsewhere > 0))
}

function unreadElsewhere(placement: Placement, trash: number | null): number {
  return Number(placement.unread && placement.mailboxes.some((mailbox) => mailbox !== trash))
}

function unreadInTrash(placement: Placement, trash: number | null): number {
  return Number(placement.unread && trash !== null && placement.mailboxes.includes(trash))
}

async function addDeltas(unit: AccountUnit, mailbox: number, deltas: CountDeltas): Promise<void> {
  const changed = keysOf(deltas).filter((name) => deltas[name] !== 0)
  if (changed.length === 0) return
  await addToCounts(unit, mailbox, deltas)
  unit.change(
    'Mailbox',
    mailbox,
    'u',
    changed.map((name) => COUNT_PROPERTIES[name]),
  )
}

async function saveCounters(
  unit: AccountUnit,
  change: EmailChange,
  found: ThreadTable | null,
  next: ThreadCounters,
): Promise<void> {
  const added = change.before === null
  const removed = change.after === null
  const total = (found?.total ?? 0) + Number(added) - Number(removed)
  if (total === 0) {
    await deleteThread(unit, change.thread)
    unit.change('Thread', change.thread, 'd')
    return
  }
  const latest = await latestOf(unit, change, found, added, removed)
  await saveThread(unit, {
    account: unit.account,
    id: change.thread,
    total,
    unread_elsewhere: next.elsewhere,
    unread_in_trash: next.inTrash,
    created_at: found?.created_at ?? change.receivedAt,
    ...latest,
  })
  if (!found) unit.change('Thread', change.thread, 'c')
  else if (added || removed) unit.change('Thread', change.thread, 'u')
}

async function latestOf(
  unit: AccountUnit,
  change: EmailChange,
  found: ThreadTable | null,
  added: boolean,
  removed: boolean,
) {
  const own = { latest_at: change.receivedAt, latest_email: change.id }
  if (!found) return own
  const kept = { latest_at: found.latest_at, latest_email: found.latest_email }
  if (added) return change.receivedAt >= found.latest_at ? own : kept
  if (!removed || found.latest_email !== change.id) return kept
  const rest = (await emailsOfThread(unit, unit.account, change.thread)).filter(({ id }) => id !== change.id)
  const last = rest.at(-1)!
  return { latest_at: last.received_at, latest_email: last.id }
}

async function trashOf(unit: AccountUnit): Promise<number | null> {
  return (await mailboxesByRole(unit)).get('trash') ?? null
}

const rolesOf = new WeakMap<AccountUnit, Promise<ReadonlyMap<string, number>>>()

/** Numbers of the account's mailboxes by role, read once per unit of work. Code that changes roles calls `forgetRoles`. */
export function mailboxesByRole(unit: AccountUnit): Promise<ReadonlyMap<string, number>> {
  let roles = rolesOf.get(unit)
  if (!roles) {
    roles = mailboxRoles(unit, unit.account)
    rolesOf.set(unit, roles)
  }
  return roles
}

export function forgetRoles(unit: AccountUnit): void {
  rolesOf.delete(unit)
}

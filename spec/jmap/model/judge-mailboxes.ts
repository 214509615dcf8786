/** Mailbox/set (RFC 8621 2.5): the resulting state must be valid, and refused changes must be invalid in it. */
import type { Result } from '../../support/core.ts'
import type { AccountModel, ModelMailbox } from './account-model.ts'
import { type Call, outcomesFault, patched, refusalFault } from './op.ts'

const DEFAULTS = { parentId: null, role: null, sortOrder: 0, isSubscribed: true }

export function judgeMailboxSet(model: AccountModel, { args }: Call, result: Result): string | null {
  const fault = outcomesFault(args, result)
  if (fault) return fault
  for (const id of result.destroyed ?? []) {
    const destroyed = destroy(model, id, args.onDestroyRemoveEmails === true)
    if (destroyed) return destroyed
  }
  for (const id of Object.keys(result.updated ?? {})) {
    const before = model.mailboxes.get(id)
    if (!before) return `updated ${id}, which is not there`
    model.mailboxes.set(id, patched(before, args.update[id]) as ModelMailbox)
  }
  for (const [creationId, { id }] of Object.entries<Result>(result.created ?? {}))
    model.mailboxes.set(id, { ...DEFAULTS, ...withParent(args.create[creationId], result) } as ModelMailbox)
  for (const id of model.mailboxes.keys()) {
    const wrong = faultsOf(model, id)
    if (wrong.length > 0) return `mailbox ${id} is left wrong: ${wrong}`
  }
  return refusals(model, args, result)
}

/** A parent that the same call created. */
function withParent(given: Result, result: Result): Result {
  const parent = typeof given.parentId === 'string' && given.parentId.startsWith('#') ? given.parentId.slice(1) : null
  return parent === null ? given : { ...given, parentId: result.created?.[parent]?.id ?? 'missing' }
}

function destroy(model: AccountModel, id: string, removesEmails: boolean): string | null {
  if (!model.mailboxes.has(id)) return `destroyed ${id}, which is not there`
  if (model.roleOf(id) === 'inbox') return 'destroyed the inbox'
  const emails = model.emailsIn(id)
  if (emails.length > 0 && !removesEmails) return `destroyed ${id}, which has emails`
  model.mailboxes.delete(id)
  for (const emailId of emails) {
    const email = model.emails.get(emailId)!
    const mailboxIds = email.mailboxIds.filter((other) => other !== id)
    if (mailboxIds.length > 0) model.emails.set(emailId, { ...email, mailboxIds })
    else model.removeEmail(emailId)
  }
  return null
}

/** RFC 8621 2: types of errors for a mailbox in its state. */
function faultsOf(model: AccountModel, id: string): string[] {
  const own = model.mailboxes.get(id)!
  const others = [...model.mailboxes].filter(([other]) => other !== id).map(([, mailbox]) => mailbox)
  const faults: string[] = []
  if (others.some(({ name, parentId }) => name === own.name && parentId === own.parentId)) faults.push('alreadyExists')
  const twice = own.role !== null && others.some(({ role }) => role === own.role)
  if (twice || isAstray(model, id) || !model.mailboxWith('inbox')) faults.push('invalidProperties')
  return faults
}

/** Its parent does not exist, or it is below itself. */
function isAstray(model: AccountModel, id: string): boolean {
  const above = new Set([id])
  for (let parent = model.mailboxes.get(id)!.parentId; parent !== null; ) {
    if (above.has(parent) || !model.mailboxes.has(parent)) return true
    above.add(parent)
    parent = model.mailboxes.get(parent)!.parentId
  }
  return false
}

function refusals(model: AccountModel, args: Result, result: Result): string | null {
  for (const [id, error] of Object.entries<Result>(result.notDestroyed ?? {})) {
    const fault = refusalFault('destroy', id, error, faultsOfDestroying(model, id, args.onDestroyRemoveEmails === true))
    if (fault) return fault
  }
  for (const [id, error] of Object.entries<Result>(result.notUpdated ?? {})) {
    const fault = refusalFault('update', id, error, faultsOfUpdate(model, id, args.update[id]))
    if (fault) return fault
  }
  for (const [creationId, error] of Object.entries<Result>(result.notCreated ?? {})) {
    const trial = model.clone()
    trial.mailboxes.set('new', { ...DEFAULTS, ...withParent(args.create[creationId], result) } as ModelMailbox)
    const fault = refusalFault('create', creationId, error, faultsOf(trial, 'new'))
    if (fault) return fault
  }
  return null
}

function faultsOfUpdate(model: AccountModel, id: string, patch: Result): string[] {
  const before = model.mailboxes.get(id)
  if (!before) return ['notFound', 'willDestroy']
  const trial = model.clone()
  trial.mailboxes.set(id, patched(before, patch) as ModelMailbox)
  return faultsOf(trial, id)
}

function faultsOfDestroying(model: AccountModel, id: string, removesEmails: boolean): string[] {
  if (!model.mailboxes.has(id)) return ['notFound']
  const faults: string[] = []
  if ([...model.mailboxes.values()].some(({ parentId }) => parentId === id)) faults.push('mailboxHasChild')
  if (model.roleOf(id) === 'inbox') faults.push('forbidden')
  if (!removesEmails && model.emailsIn(id).length > 0) faults.push('mailboxHasEmail')
  return faults
}

/**
 * onSuccessUpdateEmail and onSuccessDestroyEmail: an implicit Email/set after the submissions (RFC 8621 7.5). Its keys are ids of
 * submissions or `#creationId`, not of emails; its response follows under the same call id.
 */
import { findSubmission } from '../../../storage/repos/submissions.ts'
import type { MethodContext } from '../../context.ts'
import type { JsonObject } from '../../protocol/json.ts'
import { setOwn } from '../../protocol/json-object.ts'
import type { SetOutcome } from '../../type/rules.ts'

/** Under this name a destroyed submission leaves the number of its email. */
export function noteOfDestroyed(submission: number): string {
  return `email of ${submission}`
}

export async function runImplicitSet(method: MethodContext, outcome: SetOutcome): Promise<void> {
  const updates = (outcome.args['onSuccessUpdateEmail'] ?? {}) as { [key: string]: JsonObject }
  const destroys = (outcome.args['onSuccessDestroyEmail'] ?? []) as readonly string[]
  if (Object.keys(updates).length === 0 && destroys.length === 0) return
  const update: { [emailId: string]: JsonObject } = {}
  const destroy = new Set<string>()
  for (const [key, patch] of Object.entries(updates)) {
    const emailId = await emailIdFor(method, outcome, key)
    if (emailId) setOwn(update, emailId, patch)
  }
  for (const key of destroys) {
    const emailId = await emailIdFor(method, outcome, key)
    if (emailId) destroy.add(emailId)
  }
  // RFC 8621 7.5: a single call, also when nothing is left to do in it.
  await method.request.implicit('Email/set', { accountId: method.account.id, update, destroy: [...destroy] })
}

/** The email of a submission that this call created, changed or destroyed with success; null for every other key. */
async function emailIdFor(method: MethodContext, outcome: SetOutcome, key: string): Promise<string | null> {
  const created = key.startsWith('#') ? outcome.created.get(key.slice(1))?.['id'] : undefined
  const resolved = method.request.createdIds.resolveId(key)
  const id = created ?? ('unknown' in resolved ? null : resolved.value)
  if (typeof id !== 'string') return null
  const number = method.number('EmailSubmission', id)
  if (number === null) return null
  if (outcome.destroyed.includes(id)) return method.id('Email', outcome.notes.get(noteOfDestroyed(number)) as number)
  if (created === undefined && !outcome.updated.has(id)) return null
  const row = await method.read((reader) => findSubmission(reader, method.account.number, number))
  return row && method.id('Email', row.email)
}

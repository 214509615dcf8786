/**
 * onSuccessUpdateEmail and onSuccessDestroyEmail: an implicit Email/set after the submissions (RFC 8621 7.5). Its keys are ids of
 * submissions or `#creationId`, not of emails; its response follows under the same call id.
 */
import { findSubmission } from '../../../storage/repos/submissions.ts'
import type { MethodContext } from '../../context.ts'
import type { JsonObject } from '../../core.ts'
import { setOwn } from '../../protocol/json-object.ts'
import type { SetOutcome } from '../../type/rules.ts'

export async function runImplicitSet(method: MethodContext, outcome: SetOutcome): Promise<void> {
  const updates = (outcome.args['onSuccessUpdateEmail'] ?? {}) as { [key: string]: JsonObject }
  const destroys = (outcome.args['onSuccessDestroyEmail'] ?? []) as readonly string[]
  if (Object.keys(updates).length === 0 && destroys.length === 0) return
  const update: { [emailId: string]: JsonObject } = {}
  const destroy: string[] = []
  for (const [key, patch] of Object.entries(updates)) {
    const emailId = await emailIdFor(method, outcome, key)
    if (emailId) setOwn(update, emailId, patch)
  }
  for (const key of destroys) {
    const emailId = await emailIdFor(method, outcome, key)
    if (emailId) destroy.push(emailId)
  }
  await method.request.implicit('Email/set', { accountId: method.account.id, update, destroy })
}

/** The email of a submission that this call created, changed or destroyed with success; null for every other key. */
async function emailIdFor(method: MethodContext, outcome: SetOutcome, key: string): Promise<string | null> {
  const succeeded = key.startsWith('#')
    ? outcome.created.get(key.slice(1))?.['id']
    : outcome.updated.has(key)
      ? key
      : null
  if (typeof succeeded !== 'string') return null
  const number = method.number('EmailSubmission', succeeded)!
  const row = await method.read((reader) => findSubmission(reader, method.account.number, number))
  return row && method.id('Email', row.email)
}

/**
 * onSuccessUpdateEmail and onSuccessDestroyEmail: an implicit Email/set after the submissions (RFC 8621 7.5). The keys are ids of
 * submissions or `#creationId`, not of emails. The response follows under the same call id.
 */

import type { JsonObject } from '../../../server/base/json.ts'
import { findSubmission } from '../../../storage/repos/submissions.ts'
import { setOwn } from '../../protocol/json-object.ts'
import type { MethodContext } from '../../type/context.ts'
import type { SetOutcome } from '../../type/handlers.ts'
import { Email } from '../email/email.type.ts'
import { EmailSubmission } from './email-submission.type.ts'

/** A destroyed submission leaves the number of its email in `notes`. */
type Outcome = SetOutcome<typeof EmailSubmission>

export async function runImplicitSet(method: MethodContext, outcome: Outcome): Promise<void> {
  const updates = outcome.args.onSuccessUpdateEmail ?? {}
  const destroys = outcome.args.onSuccessDestroyEmail ?? []
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
  // RFC 8621 7.5: a single call, even if it has nothing to do.
  await method.request.implicit('Email/set', { accountId: method.account.id, update, destroy: [...destroy] })
}

/** The email of a submission that this call created, changed or destroyed successfully; null for every other key. */
async function emailIdFor(method: MethodContext, outcome: Outcome, key: string): Promise<string | null> {
  const created = key.startsWith('#') ? outcome.created.get(key.slice(1)) : undefined
  const id = typeof created?.['id'] === 'string' ? created['id'] : method.resolveId(key)
  const number = method.number(EmailSubmission, id)
  if (number === null) return null
  const destroyed = outcome.notes.get(number)
  if (typeof destroyed === 'number') return method.id(Email, destroyed)
  if (!created && !outcome.updated.has(id)) return null
  const row = await method.read((reader) => findSubmission(reader, method.account.number, number))
  return row && method.id(Email, row.email)
}

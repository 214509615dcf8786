/**
 * Which thread an email belongs to: the oldest thread of the account that shares a message id with it (in Message-ID, In-Reply-To
 * or References) under the same base subject (RFC 8621 3, RFC 5256 2.1). A thread id never changes: an email that turns out to
 * join two threads stays in the older one, and neither is renamed.
 */
import { hash } from 'node:crypto'
import { THREAD_MAX_REFERENCES } from '../../server/base/limits.ts'
import type { AccountUnit } from '../../storage/ports.ts'
import { addThreadRefs, findThreadByRefs } from '../../storage/repos/threads.ts'
import { baseSubject } from './message/base-subject.ts'
import type { MessageHeaders } from './message/structure.ts'

/** Keys under which an email is found by those that answer it, and finds what it answers. */
export function threadRefs(headers: MessageHeaders): string[] {
  const ids = new Set([...(headers.messageId ?? []), ...(headers.inReplyTo ?? []), ...(headers.references ?? [])])
  const all = [...ids]
  // The first reference is the root of the thread, the last ones are the nearest.
  const kept = all.length > THREAD_MAX_REFERENCES ? [all[0]!, all[1]!, ...all.slice(2 - THREAD_MAX_REFERENCES)] : all
  const subject = baseSubject(headers.subject ?? '')
  return kept.map((id) => hash('sha256', `${id}\n${subject}`, 'base64url').slice(0, 24))
}

/** The thread for a new email, made if need be; its references are kept for those to come. */
export async function assignThread(
  unit: AccountUnit,
  refs: readonly string[],
): Promise<{ thread: number; isNew: boolean }> {
  const found = refs.length > 0 ? await findThreadByRefs(unit, unit.account, refs) : null
  const thread = found ?? unit.nextObject()
  await addThreadRefs(unit, thread, refs)
  return { thread, isNew: found === null }
}

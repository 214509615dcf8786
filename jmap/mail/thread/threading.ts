/**
 * Which thread an email belongs to: the oldest thread of the account that shares a message id with it (in Message-ID, In-Reply-To
 * or References) under the same base subject (RFC 8621 3, RFC 5256 2.1). A thread id never changes: an email that turns out to
 * join two threads stays in the older one, and neither is renamed.
 */
import { hash } from 'node:crypto'
import { THREAD_MAX_REFERENCES } from '../../../server/base/limits.ts'
import type { AccountUnit } from '../../../storage/ports.ts'
import { addThreadRefs, findThreadByRefs } from '../../../storage/repos/threads.ts'
import { fold } from '../../../storage/search/tokens.ts'
import { baseSubject } from '../../message/base-subject.ts'
import type { MessageHeaders } from '../../message/structure.ts'

/** Prefixes that mailers put in front in other languages than English: replies, then forwards. */
const LOCAL_PREFIX =
  /^(?:aw|antw|antwort|sv|vs|res|rif|odp|ynt|ref|bls|atb|hl|r|回复|回覆|答复|返信|답장|wg|wtr|tr|rv|enc|doorst|vb|vl|pd|i|fs|转发|轉寄|転送|전달) ?[:：]/iu

/** RFC 8621 3: the subject without what mailers add to it, white space and case aside. */
function threadSubject(text: string): string {
  let subject = baseSubject(text)
  for (let before = ''; subject !== before; ) {
    before = subject
    subject = baseSubject(subject.replace(LOCAL_PREFIX, ''))
  }
  return fold(subject).replaceAll(/\s+/g, '')
}

/** Keys under which an email is found by those that answer it, and finds what it answers. */
export function threadRefs(headers: MessageHeaders): string[] {
  const { messageId, inReplyTo, references } = headers
  const all = [...(messageId ?? []), ...(inReplyTo ?? []), ...(references ?? [])]
  // Of very many the email's own id, the root of the thread and the nearest say enough.
  const first = [messageId?.[0], references?.[0], inReplyTo?.[0]].filter((id) => id !== undefined)
  const kept = new Set([...first, ...all.slice(first.length - THREAD_MAX_REFERENCES)])
  const subject = threadSubject(headers.subject ?? '')
  return [...kept].map((id) => hash('sha256', `${id}\n${subject}`, 'base64url').slice(0, 24))
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

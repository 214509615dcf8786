/**
 * Assigns an email to a thread: the oldest thread of the account that shares a message id with it (in Message-ID, In-Reply-To or
 * References) and has the same base subject (RFC 8621 3, RFC 5256 2.1). A thread id never changes: an email that connects two threads
 * joins the older one, and neither is renamed.
 */
import { hash } from 'node:crypto'
import { THREAD_MAX_REFERENCES } from '../../../server/base/limits.ts'
import type { AccountUnit } from '../../../storage/ports.ts'
import { addThreadRefs, findThreadByRefs } from '../../../storage/repos/threads.ts'
import { fold } from '../../../storage/search/tokens.ts'
import { baseSubject } from '../../message/base-subject.ts'
import type { MessageHeaders } from '../../message/structure.ts'

/** Prefixes of mailers in other languages than English: replies, then forwards. */
const LOCAL_PREFIX =
  /^(?:aw|antw|antwort|sv|vs|res|rif|odp|ynt|ref|bls|atb|hl|r|回复|回覆|答复|返信|답장|wg|wtr|tr|rv|enc|doorst|vb|vl|pd|i|fs|转发|轉寄|転送|전달) ?[:：]/iu

/** RFC 8621 3: the subject without additions of mailers, white space and case. */
function threadSubject(text: string): string {
  let subject = baseSubject(text)
  for (let before = ''; subject !== before; ) {
    before = subject
    subject = baseSubject(subject.replace(LOCAL_PREFIX, ''))
  }
  return fold(subject).replaceAll(/\s+/g, '')
}

/** Keys by which later emails find this email, and by which it finds earlier ones. */
export function threadRefs(headers: MessageHeaders): string[] {
  const { messageId, inReplyTo, references } = headers
  const all = [...(messageId ?? []), ...(inReplyTo ?? []), ...(references ?? [])]
  // With very many references, the email's own id, the root of the thread and the nearest ones are enough.
  const first = [messageId?.[0], references?.[0], inReplyTo?.[0]].filter((id) => id !== undefined)
  const kept = new Set([...first, ...all.slice(first.length - THREAD_MAX_REFERENCES)])
  const subject = threadSubject(headers.subject ?? '')
  return [...kept].map((id) => hash('sha256', `${id}\n${subject}`, 'base64url').slice(0, 24))
}

/** The thread of a new email, created if necessary. The email's references are stored for later emails. */
export async function assignThread(
  unit: AccountUnit,
  refs: readonly string[],
): Promise<{ thread: number; isNew: boolean }> {
  const found = refs.length > 0 ? await findThreadByRefs(unit, unit.account, refs) : null
  const thread = found ?? unit.nextObject()
  await addThreadRefs(unit, thread, refs)
  return { thread, isNew: found === null }
}

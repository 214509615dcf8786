/** The ids that tie a message to send to a conversation (RFC 5322 3.6.4). */
import { isId } from '../../jmap/protocol/primitives.ts'
import { MESSAGE_ID_MAX_CHARS, MESSAGE_MAX_REFERENCES } from '../../server/base/limits.ts'
import { emailIdsOf, get } from '../calls/jmap-calls.ts'
import type { JmapClient } from '../calls/jmap-client.ts'
import { type FieldDetail, invalid } from '../errors/api-error.ts'
import type { EmailObject } from '../schema/jmap-types.ts'
import * as s from '../schema/schema.ts'

export interface Threading {
  readonly inReplyTo: readonly string[] | null
  readonly references: readonly string[] | null
}

const messageId = s.string({ minLength: 1, maxLength: MESSAGE_ID_MAX_CHARS, examples: ['<order-17@shop.example>'] })
export const inReplyToField = messageId
export const referencesField = s.union([messageId, s.array(messageId, { maxItems: MESSAGE_MAX_REFERENCES })])

/** @param details gets an item for each field that holds no message id */
export function readThreading(
  written: { readonly in_reply_to?: string; readonly references?: string | readonly string[] },
  details: FieldDetail[],
): Threading {
  const { in_reply_to: parent, references } = written
  const inReplyTo = parent === undefined ? null : readIds('in_reply_to', parent, details)
  const chain = references === undefined ? null : readIds('references', references, details)
  // RFC 5322 3.6.4: the references end with the message that is answered.
  return { inReplyTo, references: chain ?? inReplyTo }
}

function readIds(field: string, written: string | readonly string[], details: FieldDetail[]): string[] | null {
  const ids = [written].flat().map(readId)
  if (ids.length > 0 && ids.every((list) => list !== null)) return ids.flat()
  details.push({ field, code: 'invalid_format', message: `${field} must hold message ids such as <id@example.com>.` })
  return null
}

/** One id without angle brackets, or any number with them. */
function readId(text: string): string[] | null {
  const bracketed = /^[\x21-\x3b\x3d\x3f-\x7e]+$/.test(text) ? `<${text}>` : text
  if (!/^(?:\s*<[\x21-\x3b\x3d\x3f-\x7e]+>)+\s*$/.test(bracketed)) return null
  return [...bracketed.matchAll(/<([^>]+)>/g)].map(([, id = '']) => id)
}

/** For an answer to the latest message of a thread. @throws ApiError unknown_reference */
export async function threadingOf(jmap: JmapClient, accountId: string, threadId: string): Promise<Threading> {
  const unknown = invalid('thread_id', 'unknown_reference', 'thread_id is no thread of the sending mailbox.')
  if (!isId(threadId)) throw unknown
  const { found } = await jmap.call({
    threads: get('Thread', { accountId, ids: [threadId], properties: ['id', 'emailIds'] }),
    found: get('Email', {
      accountId,
      '#ids': emailIdsOf('threads'),
      properties: ['id', 'messageId', 'inReplyTo', 'references', 'receivedAt'],
    }),
  })
  const latest = latestOf(found.list)
  if (!latest) throw unknown
  return answerTo(latest)
}

export function latestOf<E extends Pick<EmailObject, 'id' | 'receivedAt'>>(emails: readonly E[]): E | undefined {
  return [...emails].sort((a, b) =>
    a.receivedAt === b.receivedAt ? (a.id < b.id ? 1 : -1) : a.receivedAt < b.receivedAt ? 1 : -1,
  )[0]
}

/** RFC 5322 3.6.4: the parent's references and its id. A parent without references has its In-Reply-To instead. */
export function answerTo(parent: Pick<EmailObject, 'messageId' | 'inReplyTo' | 'references'>): Threading {
  const before = parent.references ?? (parent.inReplyTo?.length === 1 ? parent.inReplyTo : null) ?? []
  const inReplyTo = parent.messageId
  const chain = [...before, ...(inReplyTo ?? [])]
  // The first id names the thread, the last ones the place in it: the ids between them are left out.
  const references =
    chain.length > MESSAGE_MAX_REFERENCES ? [...chain.slice(0, 1), ...chain.slice(1 - MESSAGE_MAX_REFERENCES)] : chain
  return { inReplyTo, references: references.length > 0 ? references : null }
}

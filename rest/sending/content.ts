/** What POST /v1/messages and a reply have in common: the fields of the content, and how they are read. */
import { MESSAGE_BODY_MAX_CHARS, MESSAGE_SCHEDULE_MAX_MS, MESSAGE_SUBJECT_MAX_CHARS } from '../../server/base/limits.ts'
import type { FieldDetail } from '../errors/api-error.ts'
import type { EmailAddress } from '../schema/addresses.ts'
import * as s from '../schema/schema.ts'
import { parseTime } from '../schema/timestamps.ts'
import { attachmentsField, type ReadyAttachment, readAttachments } from './attachments.ts'
import { headerProperties, headersField } from './custom-headers.ts'
import { plainTextOf } from './plain-text.ts'
import { addressesField, readAddresses } from './recipients.ts'
import { readTags, type Tags, tagsField } from './tags.ts'

const REPLY_TO_MAX = 10

export const contentFields = {
  subject: s.optional(
    s.string({ maxLength: MESSAGE_SUBJECT_MAX_CHARS, pattern: '^[^\\r\\n\\u0000]*$', description: 'One line.' }),
  ),
  text: s.optional(
    s.nullable(s.string({ maxLength: MESSAGE_BODY_MAX_CHARS, description: 'Generated from html by default.' })),
  ),
  html: s.optional(s.nullable(s.string({ maxLength: MESSAGE_BODY_MAX_CHARS, examples: ['<p>It is on its way.</p>'] }))),
  reply_to: s.optional(addressesField(REPLY_TO_MAX, 'Addresses for replies.')),
  attachments: s.optional(attachmentsField),
  headers: s.optional(headersField),
  tags: s.optional(tagsField),
  scheduled_at: s.optional(s.string({ format: 'date-time', description: 'Time of sending, within 30 days.' })),
}

const Content = s.object(contentFields)
export type WrittenContent = s.Infer<typeof Content>

/** Everything of a message to send but its sender and recipients. */
export interface Content {
  readonly subject: string
  readonly text: string
  readonly html: string | null
  readonly replyTo: readonly EmailAddress[]
  readonly attachments: readonly ReadyAttachment[]
  /** `header:*` properties of Email/set. */
  readonly headers: { readonly [property: string]: string }
  readonly tags: Tags
  /** Epoch ms; null: at once. */
  readonly sendAt: number | null
}

/** @param details gets an item for each fault */
export function readContent(written: WrittenContent, subject: string, now: number, details: FieldDetail[]): Content {
  const html = written.html || null
  if (!html && !written.text) details.push({ field: 'text', code: 'required', message: 'Give text, html or both.' })
  return {
    subject: written.subject ?? subject,
    text: written.text || (html === null ? '' : plainTextOf(html, MESSAGE_BODY_MAX_CHARS)),
    html,
    replyTo: readAddresses('reply_to', written.reply_to, details),
    attachments: readAttachments(written.attachments, details),
    headers: headerProperties(written.headers, details),
    tags: readTags(written.tags, details),
    sendAt: readTime(written.scheduled_at, now, details),
  }
}

function readTime(written: string | undefined, now: number, details: FieldDetail[]): number | null {
  const at = written === undefined ? null : parseTime(written)
  if (at === null) return null
  if (at <= now) {
    details.push({ field: 'scheduled_at', code: 'must_be_future', message: 'scheduled_at must be in the future.' })
  } else if (at > now + MESSAGE_SCHEDULE_MAX_MS) {
    details.push({ field: 'scheduled_at', code: 'out_of_range', message: 'scheduled_at must be within 30 days.' })
  }
  // RFC 4865 4: a message is held until a whole second.
  return Math.ceil(at / 1000) * 1000
}

/** Attachments of a message to send. All checks come before the first upload. */
import { Buffer } from 'node:buffer'
import { isId } from '../../jmap/protocol/primitives.ts'
import type { JsonObject } from '../../server/base/json.ts'
import {
  MESSAGE_ATTACHMENT_MAX_BYTES,
  MESSAGE_ENCODED_MAX_BYTES,
  MESSAGE_MAX_ATTACHMENTS,
} from '../../server/base/limits.ts'
import type { JmapClient } from '../calls/jmap-client.ts'
import { type FieldDetail, invalid, notFound } from '../errors/api-error.ts'
import * as s from '../schema/schema.ts'

export const attachmentsField = s.array(
  s.object({
    filename: s.string({
      minLength: 1,
      maxLength: 255,
      pattern: '^[^\\u0000-\\u001f\\u007f]+$',
      description: 'No control characters.',
      examples: ['invoice.pdf'],
    }),
    content: s.optional(s.string({ description: 'The file in base64.', examples: ['JVBERi0xLjQK'] })),
    blob_id: s.optional(s.string({ description: 'Instead of content: a blob of the sending mailbox.' })),
    url: s.optional(s.string({ description: 'Not available: send the content.' })),
    content_type: s.optional(
      s.string({
        maxLength: 127,
        pattern: '^[\\w!#$&^.+-]+/[\\w!#$&^.+-]+$',
        description: 'A media type such as text/csv.',
      }),
    ),
    content_id: s.optional(
      s.string({
        minLength: 1,
        maxLength: 200,
        pattern: '^[!-;=?-~]+$',
        description: 'For `cid:` in the html; no spaces and no angle brackets.',
      }),
    ),
    disposition: s.optional(s.oneOf(['attachment', 'inline'])),
  }),
  { maxItems: MESSAGE_MAX_ATTACHMENTS },
)

type WrittenAttachments = s.Infer<typeof attachmentsField>

export interface ReadyAttachment {
  readonly source: { readonly bytes: Uint8Array } | { readonly blobId: string }
  readonly name: string
  readonly type: string
  readonly disposition: 'attachment' | 'inline'
  readonly cid: string | null
}

/** RFC 2045 6.8: line breaks may be between the characters. */
const BASE64 = /^[A-Za-z0-9+/\s]*(?:=\s*){0,2}$/

/** @param details gets an item for each attachment that cannot be sent */
export function readAttachments(written: WrittenAttachments | undefined, details: FieldDetail[]): ReadyAttachment[] {
  const ready = (written ?? []).flatMap((attachment, i) => {
    const source = readSource(attachment, `attachments[${i}]`, details)
    if (!source) return []
    const { filename, content_id: cid = null, disposition = cid === null ? 'attachment' : 'inline' } = attachment
    return [{ source, name: filename, type: typeOf(attachment), disposition, cid } satisfies ReadyAttachment]
  })
  const size = ready.reduce((sum, { source }) => sum + ('bytes' in source ? encodedSize(source.bytes.length) : 0), 0)
  if (size > MESSAGE_ENCODED_MAX_BYTES) {
    const message = `A message may have at most ${MESSAGE_ENCODED_MAX_BYTES} octets with its attachments encoded.`
    details.push({ field: 'attachments', code: 'too_long', message })
  }
  return ready
}

function readSource(
  attachment: WrittenAttachments[number],
  at: string,
  details: FieldDetail[],
): ReadyAttachment['source'] | null {
  const { content, blob_id: blobId, url } = attachment
  const refuse = (field: string, code: FieldDetail['code'], message: string) => {
    details.push({ field, code, message })
    return null
  }
  if (url !== undefined)
    return refuse(`${at}.url`, 'not_allowed', 'Attachments by URL are not available; send the content.')
  if ((content === undefined) === (blobId === undefined))
    return refuse(`${at}.content`, 'required', `${at} needs either content or blob_id.`)
  if (blobId !== undefined) {
    if (isId(blobId)) return { blobId }
    return refuse(`${at}.blob_id`, 'unknown_reference', `${at}.blob_id is no blob of this mailbox.`)
  }
  const text = content ?? ''
  if (!isBase64(text)) return refuse(`${at}.content`, 'invalid_format', `${at}.content is not base64.`)
  const bytes = Buffer.from(text, 'base64')
  if (bytes.length <= MESSAGE_ATTACHMENT_MAX_BYTES) return { bytes }
  return refuse(`${at}.content`, 'too_long', `${at} has more than ${MESSAGE_ATTACHMENT_MAX_BYTES} octets.`)
}

function isBase64(text: string): boolean {
  // RFC 4648 4: one character left over holds no octet.
  return BASE64.test(text) && text.replace(/[\s=]/g, '').length % 4 !== 1
}

/** Octets in base64 with its line breaks (RFC 2045 6.8). */
function encodedSize(size: number): number {
  return Math.ceil(size / 57) * 78
}

/** The attachments as Email/set takes them, after the upload of their contents. @throws ApiError */
export function uploadAll(
  jmap: JmapClient,
  accountId: string,
  attachments: readonly ReadyAttachment[],
): Promise<JsonObject[]> {
  return Promise.all(
    attachments.map(async ({ source, name, type, disposition, cid }) => {
      const blobId = 'blobId' in source ? source.blobId : await upload(jmap, accountId, type, source.bytes)
      return { blobId, name, type, disposition, ...(cid !== null && { cid }) }
    }),
  )
}

async function upload(jmap: JmapClient, accountId: string, type: string, bytes: Uint8Array): Promise<string> {
  const result = await jmap.upload(accountId, type, bytes)
  if (!result) throw notFound('mailbox')
  return result.blobId
}

/** @throws ApiError with the field of the first missing blob */
export function unknownBlobs(attachments: readonly ReadyAttachment[], missing: readonly string[]): never {
  const at = attachments.findIndex(({ source }) => 'blobId' in source && missing.includes(source.blobId))
  throw invalid(
    `attachments[${Math.max(0, at)}].blob_id`,
    'unknown_reference',
    'There is no such blob in this mailbox.',
  )
}

const TYPES: { readonly [extension: string]: string } = {
  csv: 'text/csv',
  gif: 'image/gif',
  htm: 'text/html',
  html: 'text/html',
  ics: 'text/calendar',
  jpeg: 'image/jpeg',
  jpg: 'image/jpeg',
  json: 'application/json',
  pdf: 'application/pdf',
  png: 'image/png',
  txt: 'text/plain',
  webp: 'image/webp',
  xml: 'application/xml',
  zip: 'application/zip',
}

/** The type that the client gives, or else that of the file name's extension. */
function typeOf({ content_type, filename }: WrittenAttachments[number]): string {
  const extension = /\.(\w+)$/.exec(filename)?.[1]?.toLowerCase() ?? ''
  const known = Object.hasOwn(TYPES, extension) ? TYPES[extension] : undefined
  return content_type?.toLowerCase() ?? known ?? 'application/octet-stream'
}

/** Newsletters as REST shows them, and which of the bodies of a request counts (the contract, Newsletters). */
import type { Block } from '../../jmap/newsletters/content/block.ts'
import { ARCHIVE_VISIBILITIES, NEWSLETTER_STATUSES } from '../../jmap/newsletters/newsletter/newsletter.type.ts'
import type { JsonObject } from '../../server/base/json.ts'
import {
  BLOCK_PROSE_MAX_CHARS,
  NEWSLETTER_BLOCKS_MAX,
  NEWSLETTER_BODY_MAX_BYTES,
  NEWSLETTER_NAME_MAX_CHARS,
  NEWSLETTER_PREVIEW_TEXT_MAX_CHARS,
  NEWSLETTER_SUBJECT_MAX_CHARS,
  SEND_WINDOW_DEFAULT_HOURS,
  SEND_WINDOW_MAX_HOURS,
} from '../../server/base/newsletter-limits.ts'
import { invalid } from '../errors/api-error.ts'
import * as s from '../schema/schema.ts'

const block = s.map(s.anything(), {
  description: 'An object with `type` and the members of that type.',
  examples: [{ type: 'paragraph', body: 'Hello {{first_name|there}}' }],
})

const count = s.integer()

export const UrlBreakdown = s.object({
  href_count: s.integer({ description: 'Links.' }),
  image_src_count: s.integer({ description: 'Images and thumbnails of videos.' }),
  video_href_count: count,
  text_url_count: s.integer({ description: 'URLs in `body_text`, if the author wrote it.' }),
  unique_url_count: s.integer({ description: 'Different URLs, without their fragments.' }),
  max_unique_urls: count,
  offending_urls: s.array(s.string({ examples: ['https://www.example.com/21'] }), {
    description: 'Those beyond the maximum.',
  }),
})

/** Recipients by what became of them. */
export const NewsletterStats = s.object({
  recipients: count,
  sent: count,
  delivered: count,
  bounced: count,
  complained: count,
  unsubscribed: count,
  remaining: count,
})

export const Newsletter = s.resource('Newsletter', 'newsletter', {
  id: s.id('nws_aaaaaaaaaeaaaaaaaaaaipjaxmoq'),
  name: s.string({ examples: ['May'] }),
  status: s.oneOf(NEWSLETTER_STATUSES),
  audience_id: s.nullable(s.string()),
  newsletter_domain_id: s.nullable(s.string()),
  from_name: s.nullable(s.string()),
  from_address: s.nullable(s.string({ examples: ['newsletter@example.com'] })),
  reply_to_mailbox_id: s.nullable(s.string()),
  subject: s.string({ examples: ['News for {{first_name|you}}'] }),
  preview_text: s.nullable(s.string()),
  language: s.string({ examples: ['en'] }),
  blocks: s.array(block),
  body_html: s.string({
    examples: ['<!doctype html><html lang="en">...</html>'],
    description: 'Derived from the blocks, without the footer. Merge fields stand as written.',
  }),
  body_text: s.string({ examples: ['Hello {{first_name|there}}'], description: 'The text part, without the footer.' }),
  send_window_hours: s.integer(),
  archive_visibility: s.oneOf(ARCHIVE_VISIBILITIES),
  archive_url: s.nullable(s.string()),
  scheduled_at: s.nullable(s.timestamp()),
  started_at: s.nullable(s.timestamp()),
  completed_at: s.nullable(s.timestamp()),
  last_test_sent_at: s.nullable(s.timestamp()),
  stats: NewsletterStats,
  paused_reason: s.nullable(s.string()),
  created_at: s.timestamp(),
  updated_at: s.timestamp(),
})

const body = (description: string) =>
  s.optional(s.nullable(s.string({ maxLength: NEWSLETTER_BODY_MAX_BYTES, description })))

/** Members that a client may write, each of them optional. */
export const writable = {
  audience_id: s.optional(s.nullable(s.string())),
  newsletter_domain_id: s.optional(s.nullable(s.string({ description: 'By default the oldest verified domain.' }))),
  name: s.optional(s.string({ maxLength: NEWSLETTER_NAME_MAX_CHARS, description: 'By default the subject.' })),
  from_name: s.optional(s.nullable(s.string({ maxLength: 200 }))),
  from_address: s.optional(s.nullable(s.string({ maxLength: 254, description: 'Of the newsletter domain.' }))),
  reply_to_mailbox_id: s.optional(s.nullable(s.string())),
  subject: s.optional(s.string({ maxLength: NEWSLETTER_SUBJECT_MAX_CHARS, examples: ['News for {{first_name|you}}'] })),
  preview_text: s.optional(s.nullable(s.string({ maxLength: NEWSLETTER_PREVIEW_TEXT_MAX_CHARS }))),
  language: s.optional(s.string({ maxLength: 35, description: 'BCP 47. Default: en.', examples: ['en'] })),
  blocks: s.optional(
    s.array(block, {
      description: `1 to ${NEWSLETTER_BLOCKS_MAX} blocks. They come before body_html, and that before body_text.`,
    }),
  ),
  body_html: body('Stored as one block of custom HTML. It is cleaned.'),
  body_text: body('With blocks or body_html the text part; alone the paragraphs of the newsletter.'),
  send_window_hours: s.optional(
    s.integer({ minimum: 1, maximum: SEND_WINDOW_MAX_HOURS, description: `Default: ${SEND_WINDOW_DEFAULT_HOURS}.` }),
  ),
  archive_visibility: s.optional(s.oneOf(ARCHIVE_VISIBILITIES, 'Default: private.')),
}

export const PLAIN_MEMBERS = [
  'audience_id',
  'newsletter_domain_id',
  'name',
  'from_name',
  'from_address',
  'reply_to_mailbox_id',
  'subject',
  'preview_text',
  'language',
  'send_window_hours',
  'archive_visibility',
] as const satisfies readonly (keyof typeof writable)[]

interface Bodies {
  readonly blocks?: readonly { readonly [name: string]: unknown }[]
  readonly body_html?: string | null
  readonly body_text?: string | null
}

/** The member of a request that blocks are made from. */
export type ContentMember = 'blocks' | 'body_html' | 'body_text'

/** The content of a new newsletter. @throws ApiError if there is none */
export function newContent(bodies: Bodies): {
  readonly blocks: readonly JsonObject[]
  readonly textOverride: string | null
  readonly sent: ContentMember
} {
  const { blocks, html, text } = readBodies(bodies)
  if (blocks) return { blocks, textOverride: text, sent: 'blocks' }
  if (html !== null) return { blocks: [htmlBlock(html)], textOverride: text, sent: 'body_html' }
  if (text !== null) return { blocks: paragraphBlocks(text), textOverride: null, sent: 'body_text' }
  throw invalid(null, 'required', 'Send blocks, body_html or body_text.')
}

/** The content that a patch changes. A draft has blocks, so that body_text alone is the text part. */
export function changedContent(bodies: Bodies) {
  const { blocks, html, text } = readBodies(bodies)
  const next = blocks ?? (html === null ? null : [htmlBlock(html)])
  const sent: ContentMember = blocks === null && html !== null ? 'body_html' : 'blocks'
  return { ...(next && { blocks: next }), ...(text !== null && { textOverride: text }), sent }
}

/** null and '' are the same as absent. */
function readBodies({ blocks, body_html, body_text }: Bodies) {
  return {
    // A JSON body holds JSON alone.
    blocks: (blocks as readonly JsonObject[] | undefined) ?? null,
    html: body_html || null,
    text: body_text || null,
  }
}

const htmlBlock = (html: string): JsonObject => ({ type: 'custom_html', html }) satisfies Block
const paragraphBlock = (body: string): JsonObject => ({ type: 'paragraph', body }) satisfies Block

/** Its lines are paragraphs. Text that is longer than a block may be has several. */
function paragraphBlocks(text: string): JsonObject[] {
  const pieces: string[] = []
  for (let rest = text; rest !== ''; rest = rest.slice(pieces.at(-1)!.length))
    pieces.push(rest.length <= BLOCK_PROSE_MAX_CHARS ? rest : rest.slice(0, cutOf(rest)))
  const full = pieces.filter((piece) => piece.trim() !== '')
  return (full.length > 0 ? full : [text.slice(0, BLOCK_PROSE_MAX_CHARS)]).map(paragraphBlock)
}

/** Behind the last line that a block has room for, else the last word, and never within a merge field. */
function cutOf(text: string): number {
  const head = text.slice(0, BLOCK_PROSE_MAX_CHARS)
  const line = head.lastIndexOf('\n') + 1
  if (line > 0) return line
  const word = head.lastIndexOf(' ') + 1 || head.replace(/[\ud800-\udbff]$/, '').length
  const open = text.lastIndexOf('{{', word - 1)
  return open > 0 && !text.slice(open, word).includes('}}') ? open : word
}

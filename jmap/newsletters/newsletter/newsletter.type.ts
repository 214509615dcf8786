import type { JsonObject } from '../../../server/base/json.ts'
import {
  NEWSLETTER_BLOCKS_MAX,
  NEWSLETTER_NAME_MAX_CHARS,
  NEWSLETTER_PREVIEW_TEXT_MAX_CHARS,
  NEWSLETTER_RECIPIENTS_MAX,
  NEWSLETTER_SUBJECT_MAX_CHARS,
  SEND_WINDOW_DEFAULT_HOURS,
  SEND_WINDOW_MAX_HOURS,
} from '../../../server/base/newsletter-limits.ts'
import type { SetError } from '../../protocol/set-error.ts'
import { SERVICE } from '../../type/capabilities.ts'
import { defineType } from '../../type/define-type.ts'
import type { ObjectOf } from '../../type/derived.ts'
import { declareMethod } from '../../type/method-declaration.ts'
import { p } from '../../type/property.ts'

export const NEWSLETTER_STATUSES = ['draft', 'scheduled', 'sending', 'paused', 'sent', 'cancelled', 'failed'] as const
export const ARCHIVE_VISIBILITIES = ['private', 'unlisted', 'public'] as const
export const NEWSLETTER_SCOPES = { read: 'newsletters:read', write: 'newsletters:write' } as const

/** One line without control characters. */
const LINE = '^[^\\u0000-\\u001f\\u007f\\u2028\\u2029]*$'
const time = () => p.utcDate().nullable().server()

/** A message to an audience (decision D19). Only drafts can be changed, and `archiveVisibility` at any time. */
export const Newsletter = defineType({
  name: 'Newsletter',
  capability: SERVICE,
  spec: 'vendor',
  idPrefix: 'nws',
  accounts: 'organization',
  methods: ['get', 'changes', 'set', 'query', 'queryChanges'],
  properties: {
    id: p.id().server().fixed(),
    /** For the organization itself. By default the subject. */
    name: p.string({ maxLength: NEWSLETTER_NAME_MAX_CHARS, pattern: LINE }).defaults(''),
    status: p.oneOf(NEWSLETTER_STATUSES).server(),
    audienceId: p.id().nullable().defaults(null),
    /** By default the oldest verified domain. */
    newsletterDomainId: p.id().nullable().defaults(null),
    fromName: p.string({ maxLength: 200, pattern: LINE }).nullable().defaults(null),
    /** Of the newsletter domain, by default its `newsletter@`. null: there is no domain. */
    fromAddress: p.string({ maxLength: 254 }).nullable().defaults(null),
    /** null: the oldest mailbox of the domain. */
    replyToMailboxId: p.id().nullable().defaults(null),
    subject: p.string({ maxLength: NEWSLETTER_SUBJECT_MAX_CHARS }).defaults(''),
    /** What inboxes show after the subject. */
    previewText: p.string({ maxLength: NEWSLETTER_PREVIEW_TEXT_MAX_CHARS }).nullable().defaults(null),
    blocks: p.list(p.json<JsonObject>({ type: 'object' }), { maxItems: NEWSLETTER_BLOCKS_MAX + 1 }),
    /** The text part, if the author wrote it; null: it is derived from the blocks. */
    textOverride: p.string().nullable().defaults(null),
    /** Derived from the blocks, with merge fields as they are written and without the footer. */
    bodyHtml: p.string().server(),
    bodyText: p.string().server(),
    /** BCP 47. */
    language: p.string({ pattern: '^[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8}){0,4}$' }).defaults('en'),
    sendWindowHours: p.uint({ minimum: 1, maximum: SEND_WINDOW_MAX_HOURS }).defaults(SEND_WINDOW_DEFAULT_HOURS),
    archiveVisibility: p.oneOf(ARCHIVE_VISIBILITIES).defaults('private'),
    scheduledAt: time(),
    startedAt: time(),
    completedAt: time(),
    lastTestSentAt: time(),
    pausedReason: p.string().nullable().server(),
    /** Of its page in the archive; null: it has none, or none yet. */
    archivePath: p.string().nullable().server(),
    /** Recipients by what became of them. */
    stats: p
      .object({
        recipients: p.uint(),
        sent: p.uint(),
        delivered: p.uint(),
        bounced: p.uint(),
        complained: p.uint(),
        unsubscribed: p.uint(),
        remaining: p.uint(),
      })
      .server(),
    createdAt: p.utcDate().server().fixed(),
    updatedAt: p.utcDate().server(),
  },
  filters: { beforeId: p.string(), status: p.oneOf(NEWSLETTER_STATUSES), audienceId: p.id() },
  sorts: ['createdAt'],
  scopes: NEWSLETTER_SCOPES,
})

export type NewsletterObject = ObjectOf<typeof Newsletter>

const METHOD = { capability: SERVICE, accounts: 'organization' } as const

const urlBreakdown = p.object({
  hrefCount: p.uint(),
  imageSrcCount: p.uint(),
  videoHrefCount: p.uint(),
  textUrlCount: p.uint(),
  uniqueUrlCount: p.uint(),
  maxUniqueUrls: p.uint(),
  offendingUrls: p.list(p.string()),
})

export const PREFLIGHT_KEYS = [
  'domain_verification',
  'reply_to_mailbox',
  'audience_consent',
  'body',
  'links',
  'images',
  'footer_identity',
  'test_send',
  'account_restrictions',
] as const

const preflightItem = p.object({
  key: p.oneOf(PREFLIGHT_KEYS),
  status: p.oneOf(['pass', 'fail', 'warning']),
  message: p.string(),
  /** The property to change, if it is one of the newsletter. */
  field: p.string().nullable(),
})

/** What is missing before it can be sent. */
export const NewsletterPreflight = declareMethod({
  ...METHOD,
  name: 'Newsletter/preflight',
  scope: NEWSLETTER_SCOPES.read,
  // Decision D6: it changes nothing.
  orScope: NEWSLETTER_SCOPES.write,
  writes: false,
  args: { newsletterId: p.string() },
  answer: {
    ready: p.bool(),
    items: p.list(preflightItem),
    urlBreakdown,
    checkedAt: p.utcDate(),
  },
})

/** As it would be sent to a subscriber without merge fields. */
export const NewsletterPreview = declareMethod({
  ...METHOD,
  name: 'Newsletter/preview',
  scope: NEWSLETTER_SCOPES.read,
  // Decision D6: it changes nothing.
  orScope: NEWSLETTER_SCOPES.write,
  writes: false,
  args: { newsletterId: p.string() },
  answer: {
    sendHtml: p.string(),
    archiveHtml: p.string(),
    text: p.string(),
    warnings: p.list(p.object({ code: p.string(), message: p.string(), blockIndex: p.uint().nullable() })),
    urlBreakdown,
  },
})

/** A new draft with the same content. `notDuplicated`: why there is none. */
export const NewsletterDuplicate = declareMethod({
  ...METHOD,
  name: 'Newsletter/duplicate',
  scope: NEWSLETTER_SCOPES.write,
  writes: true,
  args: { newsletterId: p.string() },
  answer: { duplicateId: p.string().nullable(), notDuplicated: p.json<SetError>({ type: 'object' }).nullable() },
})

/** `failed`: what keeps it from being sent. If it is not empty, nothing was changed. */
const guarded = { failed: p.list(preflightItem) }
const writing = { ...METHOD, scope: NEWSLETTER_SCOPES.write, writes: true } as const

/** Sends a draft at a time in the future, or changes that time. Other states are `invalidState`. */
export const NewsletterSchedule = declareMethod({
  ...writing,
  name: 'Newsletter/schedule',
  args: { newsletterId: p.string(), scheduledAt: p.utcDate() },
  answer: guarded,
})

/** Makes a scheduled newsletter a draft again, or ends one that is being sent. Other states are `invalidState`. */
export const NewsletterCancel = declareMethod({
  ...writing,
  name: 'Newsletter/cancel',
  args: { newsletterId: p.string() },
  answer: {},
})

/** Goes on with a newsletter that is paused, cancelled or failed, to the recipients that are left. */
export const NewsletterResume = declareMethod({
  ...writing,
  name: 'Newsletter/resume',
  args: { newsletterId: p.string() },
  answer: guarded,
})

/** Sends a newsletter to somebody who can log in. `isLogin` false: nobody has this address, and nothing was sent. */
export const NewsletterTestSend = declareMethod({
  ...writing,
  name: 'Newsletter/testSend',
  args: { newsletterId: p.string(), email: p.string() },
  answer: { ...guarded, isLogin: p.bool(), messageId: p.string().nullable(), sentAt: p.utcDate().nullable() },
})

export const RECIPIENT_STATUSES = ['waiting', 'queued', 'delivered', 'bounced', 'skipped'] as const

const NewsletterRecipient = p.object({
  id: p.id(),
  /** It may be deleted. */
  subscriberId: p.id(),
  email: p.string(),
  status: p.oneOf(RECIPIENT_STATUSES),
  /** Why it was skipped, or the last reply of a server. */
  reason: p.string().nullable(),
  complained: p.bool(),
  unsubscribed: p.bool(),
  queuedAt: p.utcDate().nullable(),
  finishedAt: p.utcDate().nullable(),
})

/** The recipients of a newsletter, each with what became of its message, in the order of sending. */
export const NewsletterRecipients = declareMethod({
  ...METHOD,
  name: 'Newsletter/recipients',
  scope: NEWSLETTER_SCOPES.read,
  writes: false,
  args: {
    newsletterId: p.string(),
    status: p.oneOf(RECIPIENT_STATUSES).nullable().defaults(null),
    /** Id of the last one of the page before. */
    after: p.string().nullable().defaults(null),
    limit: p.uint({ minimum: 1, maximum: NEWSLETTER_RECIPIENTS_MAX }).defaults(50),
  },
  answer: { list: p.list(NewsletterRecipient), hasMore: p.bool() },
})

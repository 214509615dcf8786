/** Endpoints by which newsletters are sent (decision D19). */
import {
  NewsletterCancel,
  NewsletterRecipients,
  NewsletterResume,
  NewsletterSchedule,
  NewsletterTestSend,
  RECIPIENT_STATUSES,
} from '../../jmap/newsletters/newsletter/newsletter.type.ts'
import { formatUTCDate } from '../../jmap/protocol/primitives.ts'
import type { AnswerOf } from '../../jmap/type/method-declaration.ts'
import { TEST_SENDS_PER_DAY } from '../../server/base/newsletter-limits.ts'
import { knownId } from '../access/ids.ts'
import { call } from '../calls/jmap-calls.ts'
import { endpoint } from '../endpoint.ts'
import { ApiError, invalid } from '../errors/api-error.ts'
import { closePage, cursorPage, openPage, pageQuery } from '../pagination/pages.ts'
import * as s from '../schema/schema.ts'
import { instant, parseTime } from '../schema/timestamps.ts'
import { toSnake } from '../schema/to-snake.ts'
import { Newsletter } from '../shapes/newsletter.ts'
import { memberOf, newsletters, TAG } from './newsletters.ts'

/** What keeps it from being sent, one detail each (the contract: schedule and test-send). @throws ApiError 422 */
function refuseFailed(failed: AnswerOf<typeof NewsletterSchedule>['failed']): void {
  if (failed.length === 0) return
  throw new ApiError('validation_error', {
    message: `The newsletter cannot be sent: ${failed[0]!.message}`,
    details: failed.map(({ key, message, field }) => ({
      field: field && memberOf(field),
      code: 'not_allowed',
      key,
      message,
    })),
  })
}

export const scheduleNewsletter = endpoint({
  method: 'POST',
  path: '/v1/newsletters/{newsletter_id}/schedule',
  operationId: 'scheduleNewsletter',
  tag: TAG,
  summary: 'Send a newsletter at a time',
  description:
    'A draft, or one that is scheduled already, whose time changes. Its recipients are the subscribers of the audience at that time. Every item of the preflight that fails is a 422 detail with its `key`.',
  scope: 'newsletters:write',
  wholeOrganization: true,
  body: s.object({ scheduled_at: s.timestamp('In the future.') }),
  bodyExample: { scheduled_at: '2030-05-01T07:00:00.000Z' },
  response: Newsletter,
  errors: ['not_found', 'invalid_state'],
  async run({ params, body, organization: accountId, baseUrl, now }, jmap) {
    const newsletterId = knownId(params.newsletter_id, 'newsletter')
    const at = parseTime(body.scheduled_at)!
    if (at <= now) throw invalid('scheduled_at', 'must_be_future', 'scheduled_at must be in the future.')
    const scheduledAt = formatUTCDate(at)
    const { done } = await jmap.call({ done: call(NewsletterSchedule, { accountId, newsletterId, scheduledAt }) })
    refuseFailed(done.failed)
    return newsletters({ baseUrl }).read(jmap, accountId, newsletterId)
  },
})

export const cancelNewsletter = endpoint({
  method: 'POST',
  path: '/v1/newsletters/{newsletter_id}/cancel',
  operationId: 'cancelNewsletter',
  tag: TAG,
  summary: 'Cancel a newsletter',
  description:
    'One that is scheduled becomes a draft again. One that is `sending` or `paused` becomes `cancelled`: what was sent stays, the rest is not sent.',
  scope: 'newsletters:write',
  wholeOrganization: true,
  response: Newsletter,
  errors: ['not_found', 'invalid_state'],
  async run({ params, organization: accountId, baseUrl }, jmap) {
    const newsletterId = knownId(params.newsletter_id, 'newsletter')
    await jmap.call({ done: call(NewsletterCancel, { accountId, newsletterId }) })
    return newsletters({ baseUrl }).read(jmap, accountId, newsletterId)
  },
})

export const resumeNewsletter = endpoint({
  method: 'POST',
  path: '/v1/newsletters/{newsletter_id}/resume',
  operationId: 'resumeNewsletter',
  tag: TAG,
  summary: 'Go on sending a newsletter',
  description:
    'One that is `paused`, `cancelled` or `failed`, to the recipients that are left and can still be mailed. Every item of the preflight that fails is a 422 detail.',
  scope: 'newsletters:write',
  wholeOrganization: true,
  response: Newsletter,
  errors: ['not_found', 'invalid_state'],
  async run({ params, organization: accountId, baseUrl }, jmap) {
    const newsletterId = knownId(params.newsletter_id, 'newsletter')
    const { done } = await jmap.call({ done: call(NewsletterResume, { accountId, newsletterId }) })
    refuseFailed(done.failed)
    return newsletters({ baseUrl }).read(jmap, accountId, newsletterId)
  },
})

const TestSend = s.resource('NewsletterTestSend', 'newsletter_test_send', {
  newsletter_id: s.id('nws_aaaaaaaaaeaaaaaaaaaaipjaxmoq'),
  recipient_email: s.string({ examples: ['ada@example.com'] }),
  message_id: s.string({ examples: ['msg_aaaaaaaaayaaaaaaaaaagbnm5hta'] }),
  sent_at: s.timestamp(),
})

export const testSendNewsletter = endpoint({
  method: 'POST',
  path: '/v1/newsletters/{newsletter_id}/test-send',
  operationId: 'testSendNewsletter',
  tag: TAG,
  summary: 'Send a newsletter to yourself',
  description: `The recipient must be a mailbox of the organization that has a password. The subject begins with \`[Test] \`. It uses no quota; at most ${TEST_SENDS_PER_DAY} a day for each newsletter.`,
  scope: 'newsletters:write',
  wholeOrganization: true,
  body: s.object({ recipient_email: s.string({ maxLength: 320, examples: ['ada@example.com'] }) }),
  bodyExample: { recipient_email: 'ada@example.com' },
  response: TestSend,
  errors: ['not_found', 'forbidden', 'rate_limit_exceeded'],
  async run({ params, body, organization: accountId }, jmap) {
    const newsletterId = knownId(params.newsletter_id, 'newsletter')
    const email = body.recipient_email
    const { done } = await jmap.call({ done: call(NewsletterTestSend, { accountId, newsletterId, email }) })
    if (!done.isLogin)
      throw invalid(
        'recipient_email',
        'not_allowed',
        'Tests are sent to people who can log in: no login has this address.',
      )
    refuseFailed(done.failed)
    return {
      object: 'newsletter_test_send' as const,
      newsletter_id: newsletterId,
      recipient_email: email.trim().toLowerCase(),
      message_id: done.messageId!,
      sent_at: instant(done.sentAt!),
    }
  },
})

const Recipient = s.resource('NewsletterRecipient', 'newsletter_recipient', {
  id: s.id('nwr_aaaaaaaaaeaaaaaaaaaaipjaxmoq'),
  subscriber_id: s.id('sub_aaaaaaaaaeaaaaaaaaaaipjaxmoq', 'It may be deleted.'),
  email_address: s.string({ examples: ['jane@example.org'] }),
  status: s.oneOf(RECIPIENT_STATUSES),
  reason: s.nullable(s.string({ description: 'Why it was skipped, or the last reply of a server.' })),
  complained: s.boolean('Whether the recipient marked it as spam.'),
  unsubscribed: s.boolean('Whether the recipient unsubscribed by it.'),
  queued_at: s.nullable(s.timestamp()),
  finished_at: s.nullable(s.timestamp()),
})

export const listNewsletterRecipients = endpoint({
  method: 'GET',
  path: '/v1/newsletters/{newsletter_id}/recipients',
  operationId: 'listNewsletterRecipients',
  tag: TAG,
  summary: 'List the recipients of a newsletter',
  description: 'In the order of sending, each with what became of its message.',
  scope: 'newsletters:read',
  wholeOrganization: true,
  query: s.object({ ...pageQuery, status: s.optional(s.oneOf(RECIPIENT_STATUSES)) }),
  response: cursorPage(Recipient),
  errors: ['not_found'],
  async run(input, jmap) {
    const { params, query, organization: accountId } = input
    const newsletterId = knownId(params.newsletter_id, 'newsletter')
    const page = openPage<string>(input, 'newsletter recipients', { newsletterId, status: query.status })
    const status = RECIPIENT_STATUSES.find((one) => one === page.filters['status']) ?? null
    const args = { accountId, newsletterId, status, limit: page.fetch, after: page.after }
    const { found } = await jmap.call({ found: call(NewsletterRecipients, args) })
    const ids = found.list.map(({ id }) => id)
    const show = (one: (typeof found.list)[number]) => toSnake(Recipient, one, { email_address: one.email })
    return closePage(page, { ids, list: found.list }, ({ id }) => id, show)
  },
})

export const newsletterSendingEndpoints = [
  scheduleNewsletter,
  cancelNewsletter,
  resumeNewsletter,
  testSendNewsletter,
  listNewsletterRecipients,
]

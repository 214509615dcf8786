import { formatUTCDate } from '../../jmap/protocol/primitives.ts'
import { get, onlyOne } from '../calls/jmap-calls.ts'
import { openMailbox } from '../calls/mailbox-access.ts'
import { endpoint } from '../endpoint.ts'
import { invalid } from '../errors/api-error.ts'
import * as s from '../schema/schema.ts'
import { parseTime } from '../schema/timestamps.ts'
import { changeMailbox, getMailbox, Mailbox, TAG } from './mailboxes.ts'

/** Of auto_reply; the subject: decision D8. */
const BODY_MAX_CHARS = 5_000
const SUBJECT_MAX_CHARS = 255

export const setAutoReply = endpoint({
  method: 'PATCH',
  path: '/v1/mailboxes/{mailbox_id}/auto-reply',
  operationId: 'setAutoReply',
  resource: getMailbox,
  tag: TAG,
  summary: "Set a mailbox's automatic reply",
  description:
    'Each sender gets it once in 7 days; lists, bulk mail and programs never get it. Omitted members do not change. Without from_date it starts now, without to_date it runs until it is switched off.',
  scope: 'mailboxes:write',
  body: s.object({
    enabled: s.boolean(),
    subject: s.optional(s.nullable(s.string({ maxLength: SUBJECT_MAX_CHARS, pattern: '^[^\\r\\n\\u0000]*$' }))),
    body: s.optional(
      s.nullable(s.string({ maxLength: BODY_MAX_CHARS, description: 'Required when enabled is true.' })),
    ),
    from_date: s.optional(s.nullable(s.timestamp())),
    to_date: s.optional(s.nullable(s.timestamp('After from_date.'))),
  }),
  bodyExample: {
    enabled: true,
    subject: 'Away until Monday',
    body: 'Thank you for your message. We are back on Monday.',
    from_date: '2026-12-24T00:00:00.000Z',
    to_date: '2026-12-28T00:00:00.000Z',
  },
  response: Mailbox,
  errors: ['not_found', 'mailbox_access_denied', 'forbidden'],
  async run(input, jmap) {
    const { enabled, subject, body, from_date, to_date } = input.body
    if (enabled && !body?.trim()) throw invalid('body', 'required', 'body is required when enabled is true.')
    const { id } = await openMailbox(input, jmap, input.params.mailbox_id)
    const { found } = await jmap.call({
      found: get('MailAccount', { accountId: input.organization, ids: [id], properties: ['id', 'autoReply'] }),
    })
    const before = onlyOne(found, 'mailbox').autoReply
    const autoReply = {
      enabled,
      subject: subject === undefined ? before.subject : subject?.trim() || null,
      body: body === undefined ? before.body : body,
      fromDate: from_date === undefined ? before.fromDate : toDate(from_date),
      toDate: to_date === undefined ? before.toDate : toDate(to_date),
    }
    const { fromDate: from, toDate: to } = autoReply
    if (from !== null && to !== null && Date.parse(to) <= Date.parse(from))
      throw invalid('to_date', 'out_of_range', 'to_date must be after from_date.')
    return changeMailbox(input, jmap, id, { autoReply })
  },
})

export const setSpamFilter = endpoint({
  method: 'PATCH',
  path: '/v1/mailboxes/{mailbox_id}/spam-filter',
  operationId: 'setSpamFilter',
  resource: getMailbox,
  tag: TAG,
  summary: 'Set the spam score from which messages go to Junk',
  description: 'Messages whose score is at or above the threshold go to Junk.',
  scope: 'mailboxes:write',
  body: s.object({ threshold: s.integer({ minimum: 1, maximum: 14, description: 'Lower is stricter.' }) }),
  bodyExample: { threshold: 6 },
  response: Mailbox,
  errors: ['not_found', 'mailbox_access_denied', 'forbidden'],
  run: (input, jmap) =>
    changeMailbox(input, jmap, input.params.mailbox_id, { spamFilterThreshold: input.body.threshold }),
})

function toDate(time: string | null): string | null {
  const at = time === null ? null : parseTime(time)
  return at === null ? null : formatUTCDate(at)
}

export const mailboxSettingsEndpoints = [setAutoReply, setSpamFilter]

import { UsageGet } from '../../jmap/directory/usage.type.ts'
import { call } from '../calls/jmap-calls.ts'
import { endpoint } from '../endpoint.ts'
import * as s from '../schema/schema.ts'
import { toSnake } from '../schema/to-snake.ts'

const part = s.object({ used: s.integer(), limit: s.nullable(s.integer({ description: 'null: no limit.' })) })

const Usage = s.resource('Usage', 'usage', {
  plan: s.string({ examples: ['Team'] }),
  trial_ends_at: s.nullable(s.timestamp('null: no trial.')),
  period_start: s.timestamp(),
  period_end: s.timestamp('Start of the next count of sends.'),
  sends: part,
  mailboxes: part,
  aliases: part,
  audience_ingest: part,
  newsletter_media_bytes: part,
  newsletter_content_bytes: part,
  team_members: part,
  storage_bytes: s.object({
    used: s.integer(),
    limit_per_mailbox: s.nullable(s.integer({ description: 'null: no limit.' })),
  }),
})

export const readUsage = endpoint({
  method: 'GET',
  path: '/v1/usage',
  operationId: 'getUsage',
  tag: { name: 'Usage', description: 'The use of an organization compared with the limits of its plan.' },
  summary: 'Get the use of an organization and the limits of its plan',
  description: 'Sends are counted per billing period, or per calendar month without a subscription; null: no limit.',
  scope: 'usage:read',
  response: Usage,
  calls: ({ organization }) => ({ usage: call(UsageGet, { accountId: organization }) }),
  reply: ({ usage }) => toSnake(Usage, usage),
})

export const usageEndpoints = [readUsage]

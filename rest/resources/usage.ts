import { UsageGet } from '../../jmap/directory/usage.type.ts'
import { call } from '../calls/jmap-calls.ts'
import { endpoint } from '../endpoint.ts'
import * as s from '../schema/schema.ts'
import { toSnake } from '../schema/to-snake.ts'

const part = s.object({ used: s.integer(), limit: s.nullable(s.integer({ description: 'null: no limit.' })) })

const Usage = s.resource('Usage', 'usage', {
  plan: s.string({ examples: ['Team'] }),
  trial_ends_at: s.nullable(s.timestamp('null: it is no trial.')),
  period_start: s.timestamp(),
  period_end: s.timestamp('When counting sends begins anew.'),
  sends: part,
  mailboxes: part,
  aliases: part,
  newsletter_media_bytes: part,
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
  tag: { name: 'Usage', description: 'What the organization has and has sent, beside what its plan allows.' },
  summary: 'Get what the organization has and has sent, beside what its plan allows',
  description: 'Sends count in the period of billing, or in the calendar month without one; null is no limit.',
  scope: 'usage:read',
  response: Usage,
  calls: ({ organization }) => ({ usage: call(UsageGet, { accountId: organization }) }),
  reply: ({ usage }) => toSnake(Usage, usage),
})

export const usageEndpoints = [readUsage]

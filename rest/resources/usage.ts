import { getUsage } from '../calls/jmap-calls.ts'
import { endpoint } from '../endpoint.ts'
import { constant, integer, named, nullable, object, string, timestamp } from '../schema/schema.ts'
import { toSnake } from '../schema/to-snake.ts'

const part = object({ used: integer(), limit: nullable(integer({ description: 'null: no limit.' })) })

const Usage = named(
  'Usage',
  object({
    object: constant('usage'),
    plan: string({ examples: ['Team'] }),
    trial_ends_at: nullable(timestamp('null: it is no trial.')),
    period_start: timestamp(),
    period_end: timestamp('When counting sends begins anew.'),
    sends: part,
    mailboxes: part,
    aliases: part,
    newsletter_media_bytes: part,
    team_members: part,
    storage_bytes: object({
      used: integer(),
      limit_per_mailbox: nullable(integer({ description: 'null: no limit.' })),
    }),
  }),
)

export const readUsage = endpoint({
  method: 'GET',
  path: '/v1/usage',
  operationId: 'getUsage',
  tag: { name: 'Usage', description: 'What the organization has and has sent, beside what its plan allows.' },
  summary: 'Get what the organization has and has sent, beside what its plan allows',
  scope: 'usage:read',
  tier: 'read',
  status: 200,
  response: Usage,
  errors: [],
  calls: ({ organization }) => ({ usage: getUsage(organization) }),
  reply: ({ usage }) => toSnake(Usage, usage),
})

export const usageEndpoints = [readUsage]

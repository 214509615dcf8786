import { endpoint } from '../endpoint.ts'
import { getUsage } from '../jmap-calls.ts'
import { constant, integer, named, nullable, object, string, timestamp } from '../schema.ts'
import { instant } from '../timestamps.ts'

const part = object({ used: integer(), limit: nullable(integer({ description: 'null: no limit.' })) })

export const readUsage = endpoint({
  method: 'GET',
  path: '/v1/usage',
  operationId: 'getUsage',
  tag: 'Usage',
  summary: 'Get what the organization has and has sent, beside what its plan allows',
  scope: 'usage:read',
  tier: 'read',
  status: 200,
  response: named(
    'Usage',
    object({
      object: constant('usage'),
      plan: string({ examples: ['Team'] }),
      period_start: timestamp(),
      period_end: timestamp('When counting sends begins anew.'),
      sends: part,
      mailboxes: part,
      aliases: part,
    }),
  ),
  errors: [],
  calls: ({ organization }) => ({ usage: getUsage(organization) }),
  reply: ({ usage: { plan, periodStart, periodEnd, sends, mailboxes, aliases } }) => ({
    object: 'usage' as const,
    plan,
    period_start: instant(periodStart),
    period_end: instant(periodEnd),
    sends,
    mailboxes,
    aliases,
  }),
})

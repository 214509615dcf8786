import { getUsage } from '../calls/jmap-calls.ts'
import { endpoint } from '../endpoint.ts'
import { constant, integer, named, nullable, object, string, timestamp } from '../schema/schema.ts'
import { instant, instantOrNull } from '../schema/timestamps.ts'

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
  ),
  errors: [],
  calls: ({ organization }) => ({ usage: getUsage(organization) }),
  reply: ({ usage }) => ({
    object: 'usage' as const,
    plan: usage.plan,
    trial_ends_at: instantOrNull(usage.trialEndsAt),
    period_start: instant(usage.periodStart),
    period_end: instant(usage.periodEnd),
    sends: usage.sends,
    mailboxes: usage.mailboxes,
    aliases: usage.aliases,
    newsletter_media_bytes: usage.newsletterMediaBytes,
    team_members: usage.teamMembers,
    storage_bytes: { used: usage.storageBytes.used, limit_per_mailbox: usage.storageBytes.limitPerMailbox },
  }),
})

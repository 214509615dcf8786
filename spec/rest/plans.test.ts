/** The quotas of plans and trials (spec/contract.tsv, Plan quotas), as an organization with each plan reads its limits. */
import t from 'tap'
import type { JsonObject } from '../../server/base/json.ts'
import { SYSTEM } from '../../server/base/principal.ts'
import { startApi } from '../support/rest-api.ts'

const DAY_MS = 86_400_000
const GB = 1_000_000_000

type Limits = [mailboxes: number, aliases: number, sends: number, mediaGb: number, people: number | null]

const PLANS: [plan: 'free' | 'solo' | 'pro' | 'team', full: Limits][] = [
  ['free', [0, 0, 0, 0, 1]],
  ['solo', [3, 2, 1_000, 2, 1]],
  ['pro', [10, 10, 10_000, 10, 5]],
  ['team', [50, 25, 100_000, 50, null]],
]
const TRIALS: typeof PLANS = [
  ['solo', [3, 2, 100, 2, 1]],
  ['pro', [3, 2, 100, 2, 5]],
  ['team', [3, 2, 100, 2, null]],
]

t.test('quotas', async (t) => {
  const { ask, request, organization, clock } = await startApi(t)
  const { accountId } = organization
  const limits = async (subscription: JsonObject): Promise<Limits> => {
    await request([['Organization/set', { accountId, update: { [accountId]: subscription } }]], SYSTEM)
    const { body } = await ask('GET', '/v1/usage')
    const { mailboxes, aliases, sends, newsletter_media_bytes: media, team_members: people } = body
    return [mailboxes.limit, aliases.limit, sends.limit, media.limit / GB, people.limit]
  }

  t.test('each plan has the quotas of the contract', async (t) => {
    for (const [plan, full] of PLANS) t.same(await limits({ plan, trialEndsAt: null }), full, plan)
  })

  t.test('a trial of 14 days has lower quotas, except for team members', async (t) => {
    const trialEndsAt = new Date(clock.now() + 14 * DAY_MS).toISOString().replace('.000Z', 'Z')
    for (const [plan, lower] of TRIALS) t.same(await limits({ plan, trialEndsAt }), lower, plan)
    clock.advance(14 * DAY_MS)
    t.same((await ask('GET', '/v1/usage')).body.sends.limit, 100_000, 'and then those of the plan')
  })
})

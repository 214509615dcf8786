// Decision D27: plans of organizations, and the beginning of their months.
import t from 'tap'
import { periodAt } from '../../../jmap/policy/billing-period.ts'
import type { JsonObject } from '../../../server/base/json.ts'
import { SYSTEM } from '../../../server/base/principal.ts'
import { PLANS, TRIAL_QUOTAS } from '../../../server/base/sending-limits.ts'
import { type Result, startCore } from '../../support/core.ts'
import { forEachEngine } from '../../support/engines.ts'
import { sender } from '../../support/sending.ts'

const DAY_MS = 86_400_000

t.test('a month of a subscription begins on its day, or on the last day of a shorter month', async (t) => {
  const told = (now: string, subscribed: string | null) => {
    const { key, start, end } = periodAt(Date.parse(now), subscribed === null ? null : Date.parse(subscribed))
    return [key, ...[start, end].map((time) => new Date(time).toISOString().slice(0, 10))]
  }
  t.same(told('2026-12-31T23:59:59Z', null), ['2026-12', '2026-12-01', '2027-01-01'])
  t.same(told('2026-11-21T15:00:00Z', '2026-11-21T14:00:00Z'), ['2026-11-21', '2026-11-21', '2026-12-21'])
  t.same(told('2027-01-20T23:00:00Z', '2026-11-21T14:00:00Z'), ['2026-12-21', '2026-12-21', '2027-01-21'])
  t.same(told('2027-02-28T01:00:00Z', '2026-01-31T12:00:00Z'), ['2027-02-28', '2027-02-28', '2027-03-31'])
  t.same(told('2027-02-27T23:00:00Z', '2026-01-31T12:00:00Z'), ['2027-01-31', '2027-01-31', '2027-02-28'])
  t.same(told('2028-02-29T00:00:00Z', '2026-01-30T12:00:00Z'), ['2028-02-29', '2028-02-29', '2028-03-30'])
})

await forEachEngine(t, async (t, engine) => {
  const { core, clock, request, key, organizationWith } = await startCore(t, engine, { plan: PLANS.free })
  const subscribe = async (accountId: string, subscription: JsonObject, principal = SYSTEM): Promise<Result> => {
    const [answer] = await request(
      [['Organization/set', { accountId, update: { [accountId]: subscription } }]],
      principal,
    )
    return (answer as Result)[1]
  }
  const usageOf = async (accountId: string): Promise<Result> => {
    const [answer] = await request([['Usage/get', { accountId }]])
    return (answer as Result)[1]
  }

  t.test("without a subscription the server's default plan applies; with one, its plan", async (t) => {
    const { accountId, domainId, mailbox } = await organizationWith('first.test')
    const make = async (localPart: string) => {
      const [answer] = await request([['MailAccount/set', { accountId, create: { m: { domainId, localPart } } }]])
      return (answer as Result)[1].notCreated?.m ?? null
    }
    t.match(await make('a'), { description: 'Mailbox limit reached: 0 of 0 on the Free plan.' })
    await subscribe(accountId, { plan: 'solo' })
    for (const name of ['a', 'b', 'c']) t.equal(await make(name), null)
    const full = { resource: 'mailboxes', used: 3, limit: 3, plan: 'Solo' }
    t.match(await make('d'), { description: 'Mailbox limit reached: 3 of 3 on the Solo plan.', quota: full })
    await subscribe(accountId, { plan: 'team' })
    await mailbox('d')
    await subscribe(accountId, { plan: null })
    t.match(await make('e'), { description: 'Mailbox limit reached: 4 of 0 on the Free plan.' })
  })

  t.test('a trial has separate quotas until it ends', async (t) => {
    const { accountId, mailbox } = await organizationWith('second.test')
    const trialEndsAt = new Date(clock.now() + 14 * DAY_MS).toISOString().replace('.000Z', 'Z')
    await subscribe(accountId, { plan: 'team', trialEndsAt })
    const { mailboxes, aliases, sends, newsletterMediaBytes } = TRIAL_QUOTAS
    const trial = { plan: 'Team trial', trialEndsAt, mailboxes: { limit: mailboxes }, aliases: { limit: aliases } }
    const more = { newsletterMediaBytes: { limit: newsletterMediaBytes }, teamMembers: { limit: null } }
    t.match(await usageOf(accountId), { ...trial, ...more, sends: { limit: sends } })
    const send = await sender(core, await mailbox('hello'))
    const to = (count: number) => Array.from({ length: count }, (_, i) => `r${i}@example.org`)
    t.match(await send.bySmtp(to(60)), { status: 'queued' })
    t.match(await send.bySmtp(to(41)), { status: 'refused', description: /60 of 100 on the Team trial plan/ })
    clock.advance(14 * DAY_MS)
    t.match(await usageOf(accountId), { plan: 'Team', trialEndsAt: null, sends: { used: 60, limit: 100_000 } })
    t.match(await send.bySmtp(to(41)), { status: 'queued' })
    clock.advance(18 * DAY_MS)
    t.match(await usageOf(accountId), { sends: { used: 0 } }, 'the month of the subscription is over')
  })

  t.test('users of the organization cannot change the plan', async (t) => {
    const { principal } = await key({ scopes: ['organization:read', 'organization:write'] })
    const own = core.ids.accountId('organization', principal.organization)
    t.match((await subscribe(own, { plan: 'team' }, principal)).notUpdated[own], { type: 'forbidden' })
    t.match((await subscribe(own, { trialEndsAt: '2099-01-01T00:00:00Z' }, principal)).notUpdated[own], {
      type: 'forbidden',
    })
    t.ok(own in (await subscribe(own, { name: 'Another name' }, principal)).updated, 'control')
    t.match((await subscribe(own, { trialEndsAt: '2099-01-01T00:00:00Z' })).notUpdated[own], {
      type: 'invalidProperties',
      properties: ['trialEndsAt'],
    })
  })
})

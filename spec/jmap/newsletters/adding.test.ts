// Decision D18: which addresses Subscriber/add adds.
import t from 'tap'
import { SYSTEM } from '../../../server/base/principal.ts'
import { PLANS } from '../../../server/base/sending-limits.ts'
import { type Result, startCore } from '../../support/core.ts'
import { forEachEngine } from '../../support/engines.ts'
import { audiencesOf } from './world.ts'

const DAY_MS = 86_400_000
const many = (count: number, prefix = 'r') => Array.from({ length: count }, (_, i) => `${prefix}${i}@example.org`)

await forEachEngine(t, async (t, engine) => {
  const started = await startCore(t, engine, { plan: PLANS.free })
  const { clock, request, organizationWith } = started
  /** An organization of its own, so that the month's quota is fresh. */
  const world = async (name: string, subscription: object = { plan: 'team' }) => {
    const { accountId } = await organizationWith(`${name}.test`)
    const [answer] = await request(
      [['Organization/set', { accountId, update: { [accountId]: { ...subscription } } }]],
      SYSTEM,
    )
    if ((answer as Result)[1].notUpdated) throw new Error(JSON.stringify(answer))
    return { accountId, ...audiencesOf(started, accountId) }
  }

  t.test('a new address is created, and a repeated one merges name, fields and consent', async (t) => {
    const { call, add, find, audience, counts } = await world('merge')
    const id = await audience()
    const first = {
      email: ' Jane@BÜCHER.example ',
      displayName: 'Jane',
      mergeFields: { city: 'Rome', age: 7, vip: true },
    }
    const { results } = await call('Subscriber/add', { audienceId: id, subscribers: [first] })
    t.same(results, [{ email: 'jane@bücher.example', outcome: 'created', property: null }])
    const made = await find(id, 'JANE@xn--bcher-kva.example')
    t.match(made, { id: /^sub_/, audienceId: id, status: 'subscribed', consentSource: 'Checkbox', displayName: 'Jane' })
    t.equal(made.email, 'jane@xn--bcher-kva.example')
    clock.advance(DAY_MS)
    t.same(await add(id, [{ email: 'jane@bücher.example', mergeFields: { city: 'Oslo', pet: null } }]), ['updated'])
    const merged = await find(id, 'jane@bücher.example')
    t.equal(merged.displayName, 'Jane', 'an omitted name stays')
    t.same(merged.mergeFields, { city: 'Oslo', age: 7, vip: true, pet: null })
    t.ok(merged.consentedAt > made.consentedAt)
    t.equal(merged.createdAt, made.createdAt)
    t.same(await add(id, [{ email: 'jane@bücher.example', displayName: null }]), ['updated'])
    t.equal((await find(id, 'jane@bücher.example')).displayName, null, 'null replaces it')
    t.same(await counts(id), [1, 1])
  })

  t.test('invalid addresses, those of functions, and values of a wrong form are skipped_invalid', async (t) => {
    const { add, audience, counts } = await world('invalid')
    const id = await audience()
    const addresses = `nobody a@b @example.org a@example..org a@-x.org a..b@example.org ${'x'.repeat(65)}@example.org
      info@example.org Sales+x@example.org no-reply@example.org no.reply@example.org mailer-daemon@example.org
      dev-request@example.org owner-dev@example.org a@[192.0.2.1] a@192.0.2.1`
    const bad = addresses.split(/\s+/)
    t.same(
      await add(id, ['', 'a b@example.org', 'a@example.org, b@example.org', ...bad]),
      Array(bad.length + 3).fill('skipped_invalid'),
    )
    const rows = [
      { displayName: 'x'.repeat(201) },
      { displayName: 7 },
      { displayName: 'a\r\nBcc: b@example.org' },
      { mergeFields: null },
      { mergeFields: [] },
      { mergeFields: { '1st': 'x' } },
      { mergeFields: { [`a${'x'.repeat(64)}`]: 'x' } },
      { mergeFields: { city: { of: 'x' } } },
      { mergeFields: { city: 'x'.repeat(1_001) } },
      { mergeFields: Object.fromEntries(many(51).map((_, i) => [`f${i}`, i])) },
      { email: 7 },
    ]
    const sent = rows.map((row, i) => ({ email: `r${i}@example.org`, ...row }))
    t.same(await add(id, sent), Array(rows.length).fill('skipped_invalid'))
    t.same(await counts(id), [0, 0])
    const good = ['informant@example.org', "o'neil@example.org", 'a.request@example.org', '"a b"@example.org']
    t.same(await add(id, good), Array(good.length).fill('created'), 'control')
    const fields = Object.fromEntries(many(50).map((_, i) => [`f${i}`, 'x'.repeat(1_000)]))
    t.same(await add(id, [{ email: 'full@example.org', displayName: 'ü'.repeat(200), mergeFields: fields }]), [
      'created',
    ])
    const over = await add(id, [
      { email: 'full@example.org', mergeFields: { one: 1 } },
      { email: 'full@example.org', mergeFields: { f0: 1 } },
    ])
    t.same(over, ['skipped_invalid', 'updated'], 'more than 50 fields after the merge')
  })

  t.test('suppressed, opted-out and unmailable addresses are skipped alike', async (t) => {
    const { call, add, audience, find, counts } = await world('unmailable')
    const [id, other] = [await audience(), await audience()]
    await call('Suppression/set', { create: { s: { email: 'gone@example.org' } } })
    await call('OptOut/set', { create: { o: { email: 'Out@example.org' } } })
    await add(id, ['left@example.org'])
    await call('Subscriber/unsubscribe', { subscriberId: (await find(id, 'left@example.org')).id })
    const skipped = ['gone@example.org', 'out@example.org', 'left@example.org']
    const { results } = await call('Subscriber/add', {
      audienceId: id,
      subscribers: skipped.map((email) => ({ email })),
    })
    t.same(
      results,
      skipped.map((email) => ({ email, outcome: 'skipped_not_mailable', property: null })),
    )
    t.same(await add(other, skipped), Array(3).fill('skipped_not_mailable'), 'in any audience')
    await call('Subscriber/set', { destroy: [(await find(id, 'left@example.org')).id] })
    await call('Audience/set', { destroy: [id] })
    t.same(await add(other, skipped), Array(3).fill('skipped_not_mailable'), 'deletion undoes nothing')
    t.same(await counts(other), [0, 0])
    t.same(await add(other, ['fine@example.org']), ['created'], 'control')
  })

  t.test('an address that stands twice in a batch is created once', async (t) => {
    const { add, audience, find, counts } = await world('twice')
    const id = await audience()
    const rows = [
      { email: 'a@example.org', mergeFields: { one: 1 } },
      { email: 'A@example.org', displayName: 'A', mergeFields: { two: 2 } },
      { email: 'b@example.org', displayName: 7 },
      { email: 'b@example.org' },
      { email: 'a@example.org', mergeFields: { one: 3 } },
    ]
    t.same(await add(id, rows), ['created', 'updated', 'skipped_invalid', 'created', 'updated'])
    t.match(await find(id, 'a@example.org'), { displayName: 'A', mergeFields: { one: 3, two: 2 } })
    t.same(await counts(id), [2, 2])
  })

  t.test('the quota of the month admits all new addresses of a call, or none; repeated adds are free', async (t) => {
    const { call, add, audience, find, counts } = await world('quota', { plan: 'solo' })
    const id = await audience()
    for (let i = 0; i < 4; i++) await add(id, many(1_000, `a${i}-`))
    t.same(new Set(await add(id, many(999, 'b'))), new Set(['created']))
    t.same((await call('Usage/get')).audienceIngest, { used: 4_999, limit: 5_000 })
    const mixed = ['c0@example.org', 'b0@example.org', 'c1@example.org', 'info@example.org', 'C0@example.org']
    t.same(await add(id, mixed), ['skipped_quota', 'updated', 'skipped_quota', 'skipped_invalid', 'skipped_quota'])
    await call('Subscriber/set', { destroy: [(await find(id, 'b0@example.org')).id] })
    t.same(
      await add(id, ['b0@example.org', 'B0@example.org']),
      ['created', 'updated'],
      'one is left; deletion returns none',
    )
    t.same(await add(id, ['b1@example.org', 'c0@example.org']), ['updated', 'skipped_quota'])
    t.same(await counts(id), [4_999, 4_999])
    clock.advance(32 * DAY_MS)
    t.same(await add(id, ['c0@example.org']), ['created'], 'another month')
  })

  t.test('a trial, and an organization without a subscription, admit nobody', async (t) => {
    const trialEndsAt = new Date(clock.now() + 14 * DAY_MS).toISOString().replace(/\.\d+Z/, 'Z')
    for (const [name, subscription] of [
      ['trial', { plan: 'team', trialEndsAt }],
      ['none', { plan: null }],
    ] as const) {
      const { add, audience } = await world(name, subscription)
      t.same(
        await add(await audience(), ['a@example.org', 'info@example.org']),
        ['skipped_quota', 'skipped_invalid'],
        name,
      )
    }
  })

  t.test('an audience takes 10,000 subscribed members, and what is beyond uses no quota', async (t) => {
    const { call, add, audience, find, counts } = await world('cap')
    const id = await audience()
    for (let i = 0; i < 9; i++) await add(id, many(1_000, `a${i}-`))
    await add(id, many(998, 'b'))
    const last = [
      'c0@example.org',
      'c1@example.org',
      'c2@example.org',
      'c1@example.org',
      'C2@example.org',
      'b0@example.org',
    ]
    t.same(await add(id, last), ['created', 'created', 'skipped_cap', 'updated', 'skipped_cap', 'updated'])
    t.same(await counts(id), [10_000, 10_000])
    t.same((await call('Usage/get')).audienceIngest, { used: 10_000, limit: 100_000 })
    await call('Subscriber/unsubscribe', { subscriberId: (await find(id, 'b0@example.org')).id })
    t.same(await add(id, ['c2@example.org']), ['created'], 'only subscribed ones count')
    t.same(await counts(id), [10_001, 10_000])
    const { destroyed } = await call('Audience/set', { destroy: [id] })
    t.same(destroyed, [id])
    t.equal((await call('Subscriber/query', { calculateTotal: true })).total, 0)
  })

  t.test('100 parallel batches never exceed the quota of the month, and none is admitted in part', async (t) => {
    const { call, add, audience } = await world('parallel', { plan: 'solo' })
    const ids = [await audience(), await audience(), await audience()]
    const outcomes = await Promise.all(Array.from({ length: 100 }, (_, i) => add(ids[i % 3]!, many(90, `p${i}-`))))
    const whole = outcomes.map((all) => [...new Set(all)])
    t.ok(
      whole.every((kinds) => kinds.length === 1),
      'each batch has one outcome',
    )
    t.equal(whole.filter(([kind]) => kind === 'created').length, 55, '55 x 90 is the most that 5,000 admit')
    t.same((await call('Usage/get')).audienceIngest, { used: 4_950, limit: 5_000 })
    t.equal((await call('Subscriber/query', { calculateTotal: true })).total, 4_950)
  })

  t.test('parallel adds of the same addresses make each of them once', async (t) => {
    const { add, audience, counts } = await world('same')
    const id = await audience()
    const all = (await Promise.all(Array.from({ length: 20 }, () => add(id, many(20))))).flat()
    t.equal(all.filter((outcome) => outcome === 'created').length, 20)
    t.equal(all.filter((outcome) => outcome === 'updated').length, 380)
    t.same(await counts(id), [20, 20])
  })

  t.test('a call has 1 to 1,000 rows, and an audience that exists', async (t) => {
    const { call, audience } = await world('shape')
    const audienceId = await audience()
    for (const subscribers of [[], Array(1_001).fill({ email: 'a@example.org' }), ['a@example.org'], {}])
      t.match(await call('Subscriber/add', { audienceId, subscribers }), {
        type: 'invalidArguments',
        arguments: ['subscribers'],
      })
    const subscribers = [{ email: 'a@example.org' }]
    const theirs = await (await world('theirs')).audience()
    for (const wrong of ['none', theirs])
      t.match(await call('Subscriber/add', { audienceId: wrong, subscribers }), { type: 'notFound' })
    t.match(await call('Subscriber/set', { create: { s: {} } }), { notCreated: { s: { type: 'forbidden' } } })
  })
})

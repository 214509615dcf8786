/** DKIM keys rotate by selector: the new one signs once its record is found, the old record stays for messages under way. */
import { createPublicKey } from 'node:crypto'
import t, { type Test } from 'tap'
import { DKIM_LIFETIME_MS, DKIM_NEXT_CHECK_MS, DKIM_OLD_RECORD_MS } from '../../../../server/base/domain-limits.ts'
import type { Result } from '../../../support/core.ts'
import { startDomainWorld, type WorldOptions } from '../../../support/domain-world.ts'
import { type EngineName, forEachEngine } from '../../../support/engines.ts'

const MINUTE = 60_000

async function start(t: Test, name: string, engine: EngineName, options: WorldOptions = {}) {
  const world = await startDomainWorld(t, engine, options)
  const { core, clock, request, organization, domain, runDue, records } = world
  const subject = await domain(name)
  await subject.publish()
  await subject.verify()
  const call = async (method: string, args: object): Promise<Result> =>
    (await request([[method, args as never]]))[0]![1]
  const create = { m: { domainId: subject.id, localPart: 'hello' } }
  const made = await call('MailAccount/set', { accountId: organization.accountId, create })
  const accountId = made.created.m.id as string
  const { list } = await call('Mailbox/get', { accountId, ids: null })
  const [identity] = (await call('Identity/get', { accountId, ids: null })).list
  return {
    ...world,
    subject,
    /** DKIM records in the shown set, by key. */
    async shown() {
      const items = (await subject.items()).filter(({ key }) => key.startsWith('dkim'))
      return Object.fromEntries(items.map((item) => [item.key, item]))
    },
    rotate: () => call('Domain/rotateDkim', { accountId: organization.accountId, ids: [subject.id] }),
    /** Moves the clock to the next check and runs it. */
    async check() {
      clock.advance(Math.max(MINUTE, (await core.domainChecks.nextAt())! - clock.now()))
      await runDue()
    },
    /** Publishes these records of the set in the zone. */
    async write(...keys: string[]) {
      for (const { key, host, value } of await subject.items())
        if (keys.includes(key)) records[`${host} TXT`] = [value!]
    },
    /** Hosts of the records of the signing keys; each contains the public part of its key. */
    async signers(t: Test) {
      const email = {
        mailboxIds: { [list[0].id]: true },
        from: [{ email: `hello@${name}` }],
        to: [{ email: 'a@b.test' }],
      }
      const { created } = await call('Email/set', { accountId, create: { e: { ...email, subject: 'Signed' } } })
      const submission = { identityId: identity.id, emailId: created.e.id }
      await call('EmailSubmission/set', { accountId, create: { s: submission } })
      const [queued] = await core.claimSubmissions('test', 1, 1e12)
      const published = Object.values(records).flat().join(' ')
      const [rsa] = queued!.dkim
      const spki = createPublicKey(rsa!.privateKey).export({ type: 'spki', format: 'der' }).toString('base64')
      t.match(published, spki, 'receivers find the key of the signature')
      return queued!.dkim.map(({ selector }) => selector)
    },
  }
}

await forEachEngine(t, async (t, engine) => {
  t.test(
    'a new key signs only after a check has found its record; the old record stays in the set for a while',
    async (t) => {
      const { subject, rotate, shown, check, write, signers, clock, events } = await start(t, 'rotate.org', engine)
      const before = await shown()
      t.same(await signers(t), ['ph1', 'ph1-ed25519'])
      t.match(await rotate(), { rotated: [subject.id], notRotated: null })
      const asked = await shown()
      t.match(asked, { dkim: { value: before['dkim']!.value }, dkim_ed25519: { value: before['dkim_ed25519']!.value } })
      t.match(asked['dkim_next'], { host: 'ph2._domainkey.rotate.org', status: 'not_found', isRecommended: true })
      t.match(asked['dkim_ed25519_next'], { host: 'ph2-ed25519._domainkey.rotate.org', type: 'TXT' })
      await check()
      await check()
      t.same(await signers(t), ['ph1', 'ph1-ed25519'], 'control: nobody has written the record')
      t.match(await subject.read(), { status: 'verified', dkim: { selector: 'ph1' } })
      await write('dkim_next')
      t.same(await signers(t), ['ph1', 'ph1-ed25519'], 'nor has anybody looked')
      await check()
      t.same(await signers(t), ['ph2', 'ph1-ed25519'], 'each kind goes its own way')
      await write('dkim_ed25519_next')
      await check()
      t.same(await signers(t), ['ph2', 'ph2-ed25519'])
      const after = await shown()
      t.match(await subject.read(), { status: 'verified', dkimVerified: true, dkim: { selector: 'ph2' } })
      t.match(after, {
        dkim: { value: asked['dkim_next']!.value, status: 'verified', neededUntil: null },
        dkim_ed25519: { value: asked['dkim_ed25519_next']!.value, status: 'verified' },
        dkim_old: { value: before['dkim']!.value, status: 'verified', isRecommended: true },
      })
      t.notOk('dkim_next' in after)
      const until = Date.parse(after['dkim_old']!.neededUntil!)
      t.ok(until > clock.now() && until <= clock.now() + DKIM_OLD_RECORD_MS)
      clock.advance(until - clock.now() - 1_000)
      await check()
      await check()
      t.notOk('dkim_old' in (await shown()), 'then it may be removed')
      t.same(
        (await events()).filter(({ type }) => type === 'domain.degraded'),
        [],
      )
    },
  )

  t.test('waiting keys are not created again, and the next ones have a new number', async (t) => {
    const { rotate, shown, check, write } = await start(t, 'again.org', engine)
    await rotate()
    const first = await shown()
    await rotate()
    t.same(await shown(), first)
    await write('dkim_next', 'dkim_ed25519_next')
    await check()
    await rotate()
    t.match(await shown(), {
      dkim: { host: 'ph2._domainkey.again.org' },
      dkim_old: { host: 'ph1._domainkey.again.org' },
      dkim_next: { host: 'ph3._domainkey.again.org' },
    })
    t.equal((await shown())['dkim_ed25519_next']!.host, 'ph3-ed25519._domainkey.again.org')
  })

  t.test('keys older than half a year are replaced, unless rotation is off', async (t) => {
    const { shown, check, clock } = await start(t, 'aged.org', engine)
    const never = await start(t, 'never.org', engine, { limits: { dkimLifetimeMs: 0 } })
    for (const world of [{ check, clock }, never]) {
      world.clock.advance(DKIM_LIFETIME_MS - 12 * 3_600_000)
      await world.check()
    }
    t.notOk('dkim_next' in (await shown()), 'not before')
    for (const world of [{ check, clock }, never]) {
      world.clock.advance(12 * 3_600_000)
      await world.check()
    }
    t.match(await shown(), { dkim_next: { host: 'ph2._domainkey.aged.org' } })
    t.notOk('dkim_next' in (await never.shown()))
  })
})

t.test('a domain whose new record is missing is checked every hour', async (t) => {
  const { core, clock, rotate, check } = await start(t, 'hourly.org', 'sqlite')
  await rotate()
  await check()
  t.equal((await core.domainChecks.nextAt())! - clock.now(), DKIM_NEXT_CHECK_MS)
})

t.test(
  'a domain without its old record is verified by the new one, and need not publish the old one again',
  async (t) => {
    const { subject, rotate, shown, check, write, records } = await start(t, 'lost.org', 'sqlite')
    delete records['ph1._domainkey.lost.org TXT']
    await check()
    await check()
    t.equal((await subject.read()).status, 'degraded')
    await rotate()
    await write('dkim_next')
    await check()
    t.match(await subject.read(), { status: 'verified', dkimVerified: true })
    t.notOk('dkim_old' in (await shown()))
  },
)

t.test('domains of others are not found, and a key that is limited to other domains changes none', async (t) => {
  const { subject, request, organization, key, shown } = await start(t, 'limited.org', 'sqlite')
  const { accountId } = organization
  const { principal } = await key({ scopes: ['domains:write'] })
  const args = { accountId, ids: [subject.id, 'nothing'] }
  const [answer] = await request([['Domain/rotateDkim', args]], { ...principal, domains: [] })
  t.match(answer![1], { rotated: null, notRotated: { [subject.id]: { type: 'notFound' } } })
  t.notOk('dkim_next' in (await shown()))
  const [allowed] = await request([['Domain/rotateDkim', args]], principal)
  t.match(allowed![1], { rotated: [subject.id], notRotated: { nothing: { type: 'notFound' } } })
})

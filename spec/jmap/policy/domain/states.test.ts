/** Decision D7: the states of a domain, its transitions, events, and times of checks. */
import t from 'tap'
import { type Result, startCore } from '../../../support/core.ts'
import { type DomainWorld, startDomainWorld, type TestDomain } from '../../../support/domain-world.ts'
import { forEachEngine } from '../../../support/engines.ts'
import { hearEvents } from '../../../support/hear-events.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

/** A world with a verified domain. */
async function verified(
  t: Parameters<typeof startDomainWorld>[0],
  name: string,
): Promise<DomainWorld & { subject: TestDomain }> {
  const world = await startDomainWorld(t)
  const subject = await world.domain(name)
  await subject.publish()
  await subject.verify()
  t.equal((await subject.read()).status, 'verified')
  return { ...world, subject }
}

/** Moves the clock to the next check and runs it; returns the elapsed time. */
async function toNextCheck({ core, clock, runDue }: DomainWorld): Promise<number> {
  const before = clock.now()
  const at = (await core.domainChecks.nextAt())!
  clock.advance(Math.max(0, at - before))
  await runDue()
  return clock.now() - before
}

await forEachEngine(t, async (t, engine) => {
  t.test('when all six records are right a pending domain becomes verified, with an event', async (t) => {
    const { domain, events, clock, core, request, organization } = await startDomainWorld(t, engine)
    const subject = await domain('states-new.org')
    await subject.publish()
    clock.advance(MINUTE)
    t.match(await subject.verify(), { checked: [subject.id], notChecked: null })
    const { status, verifiedAt } = await subject.read()
    t.same([status, verifiedAt], ['verified', '2026-01-01T00:01:00Z'])
    t.match(await events(), [
      { type: 'domain.verified', data: { domain_id: subject.id, verified_at: '2026-01-01T00:01:00.000Z' } },
    ])
    t.same(await core.recipients(['nobody@states-new.org']), [{ status: 'unknownUser' }], 'it receives mail')
    const create = { m: { domainId: subject.id, localPart: 'x' } }
    const [made] = await request([['MailAccount/set', { accountId: organization.accountId, create }]])
    t.ok((made as Result)[1].created.m)
  })

  t.test('a missing record keeps the domain pending, and is named', async (t) => {
    const { domain, events, core } = await startDomainWorld(t, engine)
    for (const key of ['mx', 'spf', 'mail_from_mx', 'mail_from_spf', 'dkim', 'dmarc']) {
      const subject = await domain(`states-${key.replaceAll('_', '-')}.org`)
      await subject.publish([key])
      await subject.verify()
      t.match(await subject.read(), { status: 'pending', verifiedAt: null }, key)
      const flag = key.startsWith('mail_from') ? 'outbound' : key
      const all = { mx: true, spf: true, dkim: true, dmarc: true, outbound: true }
      t.match((await events()).at(-1), {
        type: 'domain.verification_failed',
        data: { domain_id: subject.id, records: { ...all, [flag]: false }, checked_at: /T.*\.\d{3}Z$/ },
      })
      t.same(await core.recipients([`x@${subject.name}`]), [{ status: 'notLocal' }])
    }
  })

  t.test('one worker makes a check, and a worker that lost its lease changes nothing', async (t) => {
    const { domain, core, clock, runDue } = await startDomainWorld(t, engine)
    const subject = await domain('states-lease.org')
    await runDue()
    clock.advance(5 * MINUTE)
    const [first] = await core.domainChecks.claim('one', 10, MINUTE)
    t.ok(first)
    t.same(await core.domainChecks.claim('two', 10, MINUTE), [], 'the other gets none')
    clock.advance(2 * MINUTE)
    const [second] = await core.domainChecks.claim('two', 10, MINUTE)
    t.ok(second, 'after the lease it does')
    await subject.publish()
    await core.domainChecks.run(first!)
    t.equal((await subject.read()).status, 'pending')
    await core.domainChecks.run(second!)
    t.equal((await subject.read()).status, 'verified', 'control: who has it changes something')
  })

  t.test(
    'an organization that proves ownership takes a name over; the former one becomes degraded, with an event',
    async (t) => {
      const world = await startDomainWorld(t, engine)
      const { domain, events, clock, core, store: _store } = world
      const name = 'states-taken.org'
      const older = await domain(name)
      await older.publish()
      await older.verify()
      const foreign = await world.core.createOrganization('Another')
      await hearEvents(world, foreign.accountId)
      const newer = await domain(name, foreign.accountId)
      clock.advance(MINUTE)
      await newer.verify()
      t.equal((await newer.read()).status, 'pending', 'the key of the other proves nothing')
      t.equal((await older.read()).status, 'verified')
      await newer.publish()
      clock.advance(MINUTE)
      await newer.verify()
      t.equal((await newer.read()).status, 'verified')
      t.match(await older.read(), { status: 'degraded', dkimVerified: false })
      t.match((await events()).at(-1), {
        type: 'domain.degraded',
        data: { domain_id: older.id, records: { dkim: false } },
      })
      t.match((await events(foreign.account)).at(-1), { type: 'domain.verified', data: { domain_id: newer.id } })
      t.same(await core.recipients([`x@${name}`]), [{ status: 'unknownUser' }])
    },
  )
})

t.test(
  'a failing record degrades a domain only after two checks ten minutes apart, and its return repairs it',
  async (t) => {
    const world = await verified(t, 'states-degrade.org')
    const { subject, records, events, clock, core } = world
    const mx = records[`${subject.name} MX`]!
    delete records[`${subject.name} MX`]
    t.equal(await toNextCheck(world), 6 * HOUR)
    t.match(await subject.read(), { status: 'verified', mxVerified: false })
    clock.advance(9 * MINUTE)
    await subject.verify()
    t.equal((await subject.read()).status, 'verified', 'nine minutes are too few')
    clock.advance(MINUTE)
    await subject.verify()
    const { status, verifiedAt } = await subject.read()
    t.same([status, verifiedAt], ['degraded', '2026-01-01T00:00:00Z'])
    t.match((await events()).at(-1), {
      type: 'domain.degraded',
      data: { domain_id: subject.id, records: { mx: false, spf: true } },
    })
    t.same(await core.recipients([`x@${subject.name}`]), [{ status: 'unknownUser' }], 'it still receives')
    records[`${subject.name} MX`] = mx
    t.equal(await toNextCheck(world), HOUR)
    t.equal((await subject.read()).status, 'verified')
    t.equal((await events()).at(-1)!.type, 'domain.verified')
  },
)

t.test('a record that fails once does not degrade', async (t) => {
  const world = await verified(t, 'states-flap.org')
  const { subject, records } = world
  const mx = records[`${subject.name} MX`]!
  for (let i = 0; i < 3; i++) {
    delete records[`${subject.name} MX`]
    await toNextCheck(world)
    records[`${subject.name} MX`] = mx
    t.equal(await toNextCheck(world), 10 * MINUTE, 'a doubt is looked into soon')
    t.equal((await subject.read()).status, 'verified')
  }
})

t.test('a degraded domain can send until its DKIM record has failed for 72 hours', async (t) => {
  const world = await verified(t, 'states-sending.org')
  const { subject, records, clock, request, organization, core } = world
  const { accountId } = organization
  const create = { m: { domainId: subject.id, localPart: 'writer', password: 'Secret123' } }
  const [made] = (await request([['MailAccount/set', { accountId, create }]])) as Result
  const box = made[1].created.m
  const login = { kind: 'password', address: box.address, password: 'Secret123', ip: '192.0.2.1' } as const
  const principal = (await core.authenticate(login))!
  const send = async () => {
    const bytes = Buffer.from(
      `From: ${box.address}\r\nTo: x@elsewhere.org\r\nDate: Thu, 1 Jan 2026 10:00:00 +0000\r\n\r\nHi\r\n`,
    )
    const recipients = [{ address: 'x@elsewhere.org' }]
    return core.submit(principal, { bytes, mailFrom: box.address, recipients })
  }
  const dkim = (await subject.items()).find(({ key }) => key === 'dkim')!
  const right = records[`${dkim.host} TXT`]!
  records[`${dkim.host} TXT`] = ['v=DKIM1; p=']
  await toNextCheck(world)
  await toNextCheck(world)
  t.equal((await subject.read()).status, 'degraded')
  t.match(await send(), { status: 'queued' })
  clock.advance(3 * DAY - HOUR)
  t.match(await send(), { status: 'queued' })
  clock.advance(HOUR)
  t.match(await send(), { status: 'refused', reason: 'forbiddenToSend', description: /DKIM/ })
  records[`${dkim.host} TXT`] = right
  await toNextCheck(world)
  t.match(await send(), { status: 'queued' }, 'a right record lets it send again')
})

t.test('a domain of the administrator has mailboxes and can send, whatever DNS returns', async (t) => {
  const world = await startDomainWorld(t)
  const { clock, request, organizationWith } = world
  const name = 'states-trusted.org'
  // Created by the system, not by a key.
  const { mailbox, accountId, domainId } = await organizationWith(name)
  const box = await mailbox('writer')
  const read = async () => ((await request([['Domain/get', { accountId, ids: [domainId] }]])) as Result)[0][1].list[0]
  const unseen = {
    status: 'pending',
    verifiedAt: null,
    mxVerified: false,
    dkimVerified: false,
    outboundVerified: false,
  }
  t.match(await read(), unseen, 'it has a mailbox, and claims nothing that DNS has not shown')
  for (let i = 0; i < 3; i++) await toNextCheck(world)
  t.match(await read(), unseen, 'nothing is published')
  clock.advance(10 * DAY)
  await world.runDue()
  const bytes = Buffer.from(
    `From: ${box.address}\r\nTo: x@elsewhere.org\r\nDate: Thu, 1 Jan 2026 10:00:00 +0000\r\n\r\nHi\r\n`,
  )
  const message = { bytes, mailFrom: box.address, recipients: [{ address: 'x@elsewhere.org' }] }
  t.match(await world.core.submit(box.principal, message), { status: 'queued' })
})

t.test('name servers that do not respond change nothing for a day', async (t) => {
  const world = await verified(t, 'states-silent.org')
  const { subject, zone, clock } = world
  zone.trouble = 'servfail'
  for (let i = 0; i < 3; i++) {
    await toNextCheck(world)
    t.equal((await subject.read()).status, 'verified')
  }
  clock.advance(DAY)
  await subject.verify()
  clock.advance(10 * MINUTE)
  await subject.verify()
  t.equal((await subject.read()).status, 'degraded')
  zone.trouble = null
  await toNextCheck(world)
  t.equal((await subject.read()).status, 'verified')
})

t.test(
  'a pending domain is checked every 5 minutes for 2 hours, hourly for 3 days, then daily until it fails',
  async (t) => {
    const world = await startDomainWorld(t)
    const { subject, clock, events } = { ...world, subject: await world.domain('states-waiting.org') }
    const [other] = [await world.core.domainChecks.claim('rest', 100, 30 * DAY)]
    t.same(other, [])
    const begun = clock.now()
    const waits: [age: number, wait: number][] = []
    while ((await subject.read()).status === 'pending') waits.push([clock.now() - begun, await toNextCheck(world)])
    const within = (from: number, to: number) =>
      new Set(waits.filter(([age]) => age >= from && age < to).map(([, wait]) => wait))
    t.same([...within(0, 2 * HOUR)], [5 * MINUTE])
    t.same([...within(2 * HOUR, 3 * DAY + HOUR)], [HOUR])
    t.same([...within(4 * DAY, 14 * DAY)], [DAY])
    t.ok(clock.now() - begun >= 14 * DAY)
    t.equal((await subject.read()).status, 'failed')
    t.same(
      (await events()).map(({ type }) => type),
      ['domain.verification_failed', 'domain.verification_failed'],
      'told at the first check and when it failed, not each time',
    )
    t.equal(await toNextCheck(world), DAY)
    await subject.publish()
    await toNextCheck(world)
    t.equal((await subject.read()).status, 'verified', 'it is not too late')
  },
)

t.test('a known result is reported again only to users who ask', async (t) => {
  const world = await startDomainWorld(t)
  const { domain, events, clock } = world
  const subject = await domain('states-told.org')
  const told = async () => (await events()).length
  await subject.verify()
  t.equal(await told(), 1)
  await toNextCheck(world)
  t.equal(await told(), 1, 'a check by itself')
  clock.advance(MINUTE)
  await subject.verify()
  t.equal(await told(), 2, 'one that was asked for')
  clock.advance(MINUTE)
  await subject.verify({ isQuiet: true })
  t.equal(await told(), 2, 'a look')
  await subject.publish(['mx'])
  await toNextCheck(world)
  t.equal(await told(), 3, 'a result that differs')
})

t.test('asking again at once sends no DNS queries', async (t) => {
  const { domain, zone, clock } = await startDomainWorld(t)
  const subject = await domain('states-again.org')
  await subject.verify()
  const asked = zone.questions.length
  for (let i = 0; i < 5; i++) await subject.verify()
  t.equal(zone.questions.length, asked)
  clock.advance(5_000)
  await subject.verify()
  t.ok(zone.questions.length > asked, 'control')
})

t.test('Domain/verify answers for each id, and does not find domains of others', async (t) => {
  const world = await startDomainWorld(t)
  const subject = await world.domain('states-ids.org')
  const foreign = await world.organizationWith('states-foreign.test')
  const answer = await subject.verify({ ids: [subject.id, foreign.domainId, 'x'] })
  t.match(answer, {
    checked: [subject.id],
    notChecked: { [foreign.domainId]: { type: 'notFound' }, x: { type: 'notFound' } },
  })
  t.not(answer.newState, answer.oldState)
  const ids = Array.from({ length: 11 }, (_, i) => `id${i}`)
  t.match(await subject.verify({ ids }), { type: 'requestTooLarge' })
})

t.test('a core without DNS finds no records', async (t) => {
  const { request, organization } = await startCore(t)
  const { accountId } = organization
  const [made] = (await request([['Domain/set', { accountId, create: { d: { name: 'states-none.org' } } }]])) as Result
  const { id } = made[1].created.d
  const [, read] = (await request([
    ['Domain/verify', { accountId, ids: [id] }],
    ['Domain/get', { accountId, ids: [id] }],
  ])) as Result
  t.match(read[1].list[0], { status: 'pending', mxVerified: false })
})

t.test("the server's own names in dev mode need no DNS", async (t) => {
  const { zone, core, clock, runDue, organizationWith, request } = await startDomainWorld(t)
  const { accountId, domainId } = await organizationWith('states-dev.test')
  clock.advance((await core.domainChecks.nextAt())! - clock.now())
  t.equal(await runDue(), 1)
  t.same(zone.questions, [])
  const [read] = (await request([['Domain/get', { accountId, ids: [domainId] }]])) as Result
  t.equal(read[1].list[0].status, 'verified')
})

// Decision D2: requests that may be repeated, as the core stores them.
import t from 'tap'
import type { IdempotencySlot, NewRun } from '../../jmap/idempotency.ts'
import { createCore } from '../../jmap/in-process-core.ts'
import type { IdempotentSteps } from '../../jmap/type/idempotent-steps.ts'
import { IDEMPOTENCY_LEASE_MS, IDEMPOTENCY_RENEW_MS, IDEMPOTENCY_TTL_MS } from '../../server/base/limits.ts'
import { silentLogger } from '../../server/base/logger.ts'
import { SYSTEM } from '../../server/base/principal.ts'
import { type Result, startCore, USING } from '../support/core.ts'
import { forEachEngine } from '../support/engines.ts'

const ANSWER = { status: 201, body: '{"id":"x"}', requestId: 'req_1' }

await forEachEngine(t, async (t, engine) => {
  const core = await startCore(t, engine)
  const { clock, store } = core
  const { account: organization, accountId } = core.organization
  const { idempotency } = core.core
  let count = 0
  const fresh = (): IdempotencySlot => ({ organization, name: `slot ${++count}`, fingerprint: 'f' })
  const begun = async (slot: IdempotencySlot) => (await idempotency.begin(slot)) as NewRun

  t.test('of many requests that begin at once one runs, and the others get its response', async (t) => {
    const slot = fresh()
    const all = await Promise.all(Array.from({ length: 20 }, () => idempotency.begin(slot)))
    const runs = all.filter(({ status }) => status === 'new') as NewRun[]
    t.equal(runs.length, 1)
    t.equal(all.filter(({ status }) => status === 'running').length, 19)
    await idempotency.finish(slot, runs[0]!.lease, ANSWER)
    t.same(await idempotency.begin(slot), { status: 'done', answer: ANSWER })
    t.same(await idempotency.begin({ ...slot, fingerprint: 'other' }), { status: 'mismatch' })
    const { account: other } = await core.core.createOrganization('Another')
    t.match(await idempotency.begin({ ...slot, organization: other }), { status: 'new' })
  })

  t.test('many requests that use the same keys in different orders do not deadlock', async (t) => {
    const slots = Array.from({ length: 20 }, fresh)
    const all = await Promise.all([...slots, ...slots.toReversed(), ...slots].map((slot) => idempotency.begin(slot)))
    t.equal(all.filter(({ status }) => status === 'new').length, 20)
  })

  t.test('a stored response is encrypted', async (t) => {
    const slot = fresh()
    await idempotency.finish(slot, (await begun(slot)).lease, { ...ANSWER, body: 'sk_verysecret' })
    const rows = await store.read(({ sql }) => sql.raw('select * from idempotency'))
    t.notMatch(JSON.stringify(rows), /verysecret/)
    t.match(await idempotency.begin(slot), { answer: { body: 'sk_verysecret' } })
  })

  t.test('a response that is moved to another slot cannot be read', async (t) => {
    const [slot, other] = [fresh(), fresh()]
    for (const one of [slot, other]) await idempotency.finish(one, (await begun(one)).lease, ANSWER)
    const { account: elsewhere } = await core.core.createOrganization('Elsewhere')
    const foreign = { ...slot, organization: elsewhere }
    await idempotency.finish(foreign, (await begun(foreign)).lease, ANSWER)
    const [row] = await store.read(({ sql }) =>
      sql.query((db) =>
        db
          .selectFrom('idempotency')
          .select('answer')
          .where('organization', '=', organization)
          .where('name', '=', slot.name),
      ),
    )
    await store.write([], ({ sql }) => sql.query((db) => db.updateTable('idempotency').set({ answer: row!.answer })))
    t.match(await idempotency.begin(slot), { answer: ANSWER }, 'control')
    for (const one of [other, foreign]) await t.rejects(idempotency.begin(one), { code: 'corrupt' })
    await store.write([], ({ sql }) => sql.raw('delete from idempotency'))
  })

  t.test('an unfinished slot is taken over when its lease ends, and the old holder changes nothing more', async (t) => {
    const slot = fresh()
    const first = await begun(slot)
    clock.advance(IDEMPOTENCY_LEASE_MS - 1)
    t.match(await idempotency.begin(slot), { status: 'running' })
    clock.advance(1)
    const second = await begun(slot)
    t.match(second, { status: 'new', begunAt: first.begunAt })
    await idempotency.finish(slot, first.lease, { ...ANSWER, status: 422 })
    await idempotency.abandon(slot, first.lease, false)
    t.match(await idempotency.begin(slot), { status: 'running' })
    clock.advance(IDEMPOTENCY_LEASE_MS)
    t.same(await idempotency.begin({ ...slot, fingerprint: 'other' }), { status: 'mismatch' }, 'not by another request')
    await idempotency.finish(slot, second.lease, ANSWER)
    t.match(await idempotency.begin(slot), { answer: ANSWER })
  })

  t.test('a request that renews its lease is not taken over, however long it takes', async (t) => {
    const slot = fresh()
    const { lease } = await begun(slot)
    for (let spent = 0; spent < 4 * IDEMPOTENCY_LEASE_MS; spent += IDEMPOTENCY_RENEW_MS) {
      clock.advance(IDEMPOTENCY_RENEW_MS)
      t.equal(await idempotency.extend(slot, lease), true)
      t.match(await idempotency.begin(slot), { status: 'running' })
    }
    clock.advance(IDEMPOTENCY_LEASE_MS)
    t.match(await idempotency.begin(slot), { status: 'new' }, 'control: without a renewal it is')
    t.equal(await idempotency.extend(slot, lease), false, 'and the first run learns of it')
  })

  t.test('a response is deleted after a day', async (t) => {
    const slot = fresh()
    await idempotency.finish(slot, (await begun(slot)).lease, ANSWER)
    clock.advance(IDEMPOTENCY_TTL_MS - 1)
    t.match(await idempotency.begin(slot), { status: 'done' })
    clock.advance(1)
    t.match(await idempotency.begin(slot), { status: 'new', lastRound: null })
    clock.advance(IDEMPOTENCY_TTL_MS)
    t.not((await core.core.sweep()).answers, 0)
    t.same(await store.read(({ sql }) => sql.raw('select * from idempotency')), [])
    t.same(await store.read(({ sql }) => sql.raw('select * from idempotency_step')), [])
  })

  const create = (name: string, once: IdempotentSteps) =>
    core.core.process(
      SYSTEM,
      {
        using: USING,
        methodCalls: [['ApiKey/set', { accountId, create: { k: { name, scopes: ['usage:read'] } } }, '0']],
      },
      once,
    ) as Promise<Result>
  const named = async (name: string): Promise<number> => {
    const [answer] = await core.request([['ApiKey/get', { accountId, ids: null }]])
    return (answer as Result)[1].list.filter((key: { name: string }) => key.name === name).length
  }

  t.test('an effect under a key is returned, not repeated', async (t) => {
    const slot = fresh()
    const { lease } = await begun(slot)
    const once = { organization, name: slot.name, lease, round: 2, past: [{ a: 1 }, null], isRepeated: false }
    const [first, second] = [await create('once', once), await create('once', once)]
    t.match(first.methodResponses[0][1].created.k.key, /^sk_/)
    t.same(second.methodResponses[0][1].created, first.methodResponses[0][1].created)
    t.equal(await named('once'), 1)
    await create('once', { ...once, round: 3 })
    t.equal(await named('once'), 2, 'another round is something else')
    await idempotency.abandon(slot, lease, true)
    t.match(await idempotency.begin(slot), { status: 'new', lastRound: 3, past: [{ a: 1 }, null] })
    const rows = await store.read(({ sql }) => sql.raw('select * from idempotency_step'))
    t.notMatch(JSON.stringify(rows), first.methodResponses[0][1].created.k.key)
  })

  t.test('an abandoned request begins again', async (t) => {
    const slot = fresh()
    const { lease } = await begun(slot)
    const once = { organization, name: slot.name, lease, round: 0, past: [], isRepeated: false }
    await create('given up', once)
    await idempotency.abandon(slot, lease, false)
    const next = await begun(slot)
    t.match(next, { status: 'new', lastRound: null })
    await create('given up', { ...once, lease: next.lease })
    t.equal(await named('given up'), 2)
  })

  t.test('a superseded run has no effect, even after the request has been answered', async (t) => {
    const slot = fresh()
    const slow = await begun(slot)
    const once = { organization, name: slot.name, lease: slow.lease, round: 0, past: [], isRepeated: false }
    await create('overtaken', once)
    t.equal(await named('overtaken'), 1, 'control: it had one while the lease was its own')
    clock.advance(IDEMPOTENCY_LEASE_MS)
    const fast = await begun(slot)
    const refused = { methodResponses: [['error', { type: 'serverUnavailable' }, '0']] }
    t.match(await create('overtaken', { ...once, round: 1 }), refused)
    await create('overtaken', { ...once, lease: fast.lease, round: 1 })
    await idempotency.finish(slot, fast.lease, ANSWER)
    // The steps are deleted with the response: only the lease shows that they were done.
    t.match(await create('overtaken', once), refused)
    t.match(await create('overtaken', { ...once, round: 1 }), refused)
    t.equal(await named('overtaken'), 2)
  })

  t.test('two nodes that run the same request at once do its work once', async (t) => {
    const slot = fresh()
    const { lease } = await begun(slot)
    const once = { organization, name: slot.name, lease, round: 0, past: [], isRepeated: false }
    // Another core over the same data, like another node.
    const other = await createCore({ store, clock, logger: silentLogger })
    const body = {
      using: USING,
      methodCalls: [['ApiKey/set', { accountId, create: { k: { name: 'twice', scopes: ['usage:read'] } } }, '0']],
    } as const
    const run = (node: typeof core.core) => node.process(SYSTEM, body as never, once) as Promise<Result>
    const answers = await Promise.all(Array.from({ length: 10 }, (_, i) => run(i % 2 ? other : core.core)))
    t.equal(new Set(answers.map((answer) => answer.methodResponses[0][1].created.k.id)).size, 1)
    t.equal(await named('twice'), 1)
  })
})

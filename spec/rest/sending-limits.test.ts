// Decisions D14, D26, D27: what an organization may send, over REST.
import t from 'tap'
import { UNLIMITED_PLAN } from '../../server/base/sending-limits.ts'
import { addToTally } from '../../storage/repos/sending-tally.ts'
import { startApi } from '../support/rest-api.ts'

t.test('the plan and the reputation', async (t) => {
  const { ask, mailbox, core, store } = await startApi(t, {
    limits: { plan: { ...UNLIMITED_PLAN, name: 'Small', sends: 60 } },
  })
  const alice = await mailbox('alice')
  const send = (count: number) => {
    const to = Array.from({ length: count }, (_, i) => `r${i}@example.org`)
    return ask('POST', '/v1/messages', { body: { from: alice.address, to, text: 'x' } })
  }
  const bounce = async (recipients: number, bounces: number) => {
    const tally = { recipients, bounces, complaints: 0 }
    await store.write([alice.account], (work) => addToTally(work.account(alice.account), tally))
    await core.evaluateReputations()
  }

  t.test('a message over the quota is a 403 with use and limit, and nothing is queued', async (t) => {
    t.equal((await send(20)).status, 201, 'control')
    const { status, body } = await send(41)
    t.equal(status, 403)
    t.match(body.error, {
      type: 'quota_exceeded',
      message: 'Monthly send limit reached: 20 of 60 on the Small plan.',
      details: [{ resource: 'sends', used: 20, limit: 60, plan: 'Small' }],
    })
    const usage = {
      object: 'usage',
      plan: 'Small',
      trial_ends_at: null,
      sends: { used: 20, limit: 60 },
      mailboxes: { used: 1, limit: null },
      audience_ingest: { used: 0, limit: null },
      newsletter_media_bytes: { used: 0, limit: null },
      newsletter_content_bytes: { used: 0, limit: 2_147_483_648 },
      team_members: { used: 0, limit: null },
    }
    const period = { period_start: '2026-01-01T00:00:00.000Z', period_end: '2026-02-01T00:00:00.000Z' }
    const { storage_bytes, ...told } = (await ask('GET', '/v1/usage')).body
    t.same(told, { ...usage, ...period, aliases: { used: 0, limit: null } })
    t.match(storage_bytes, { used: Number, limit_per_mailbox: null })
    t.ok(storage_bytes.used > 100)
    t.equal((await alice.call('EmailSubmission/query', {})).ids.length, 1)
    t.equal((await alice.call('Email/query', {})).ids.length, 1, 'no draft is left')
  })

  t.test('the quota is checked before the reputation', async (t) => {
    await bounce(100, 8)
    t.equal((await send(5)).status, 201)
    const late = await send(35)
    t.equal(late.status, 201)
    t.equal((await send(1)).status, 403, 'the quota of the month is used up')
    await bounce(100, 30)
    const suspended = await send(1)
    t.match(suspended, { status: 403, body: { error: { type: 'quota_exceeded' } } }, 'the quota is checked first')
  })
})

t.test('an organization with many bounces is throttled with Retry-After, and then suspended', async (t) => {
  const { ask, mailbox, core, store } = await startApi(t)
  const alice = await mailbox('alice')
  const send = (count: number) => {
    const to = Array.from({ length: count }, (_, i) => `r${i}@example.org`)
    return ask('POST', '/v1/messages', { body: { from: alice.address, to, text: 'x' } })
  }
  const bounce = async (bounces: number) => {
    const tally = { recipients: 100, bounces, complaints: 0 }
    await store.write([alice.account], (work) => addToTally(work.account(alice.account), tally))
    await core.evaluateReputations()
  }
  await bounce(8)
  t.equal((await send(30)).status, 201)
  const answer = await send(21)
  t.match(answer, { status: 429, body: { error: { type: 'rate_limit_exceeded' } } })
  t.equal(answer.headers.get('retry-after'), '3600')
  await bounce(30)
  t.match(await send(1), { status: 403, body: { error: { type: 'authorization_error', code: 'sending_suspended' } } })
})

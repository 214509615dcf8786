// The outgoing queue for administrators: why mail waits; hold, release, retry, delete.
import t from 'tap'
import type { QueuedSubmission } from '../../../jmap/mail/submission/queue-description.ts'
import type { RecipientOutcome } from '../../../jmap/mail/submission/queue-report.ts'
import { addToTally } from '../../../storage/repos/sending-tally.ts'
import { startCore } from '../../support/core.ts'
import { forEachEngine } from '../../support/engines.ts'

const LEASE = 60_000

await forEachEngine(t, async (t, engine) => {
  const test = await startCore(t, engine)
  const { core, clock, organization, mailbox, request } = test
  const { accountId } = organization
  const hello = await mailbox('hello')
  const identityId = (await hello.call('Identity/get', { ids: null })).list[0].id as string
  const send = async (...to: string[]): Promise<string> => {
    const email = { mailboxIds: { [hello.roles['sent']!]: true }, from: [{ email: hello.address }], subject: 'Queued' }
    const create = { e: { ...email, to: to.map((one) => ({ email: one })) } }
    const emailId = (await hello.call('Email/set', { create })).created.e.id
    const made = await hello.call('EmailSubmission/set', { create: { s: { identityId, emailId } } })
    return made.created.s.id
  }
  const claim = (limit = 100) => core.claimSubmissions('worker', limit, LEASE)
  const report = (
    { account, submission, lease, recipients }: QueuedSubmission,
    status: RecipientOutcome['status'],
    retryAt: number | null,
  ) => {
    const smtpReply = status === 'sent' ? '250 2.0.0 ok' : '451 4.7.1 greylisted'
    const outcomes = recipients.map(({ address }) => ({ address, status, smtpReply, host: 'mx.example.org' }))
    return core.reportAttempts([{ account, submission, lease, outcomes, retryAt }])
  }
  const list = async (args: object = {}) => {
    const [answer] = await request([['Queue/list', { accountId, ...args }]])
    return answer![1] as unknown as { list: { [name: string]: unknown }[]; next: string | null }
  }
  const change = async (action: string, submissionIds: string[], destination: string | null = null) => {
    const [answer] = await request([['Queue/change', { accountId, action, submissionIds, destination }]])
    return answer![1]
  }
  const drain = async () => {
    clock.advance(10 * 86_400_000)
    for (const one of await claim()) await report(one, 'sent', null)
  }

  t.test('each destination is an entry with the reason why it waits', async (t) => {
    const id = await send('ann@one.example', 'ben@one.example', 'cid@two.example')
    t.match((await list()).list, [
      { submissionId: id, destination: 'one.example', state: 'queued', attempts: 0, mailFrom: hello.address },
      { submissionId: id, destination: 'two.example', state: 'queued', recipients: [{ email: 'cid@two.example' }] },
    ])
    // The queue has no order.
    const [first, second] = (await claim()).toSorted((a, b) => (a.destination < b.destination ? -1 : 1))
    t.match((await list({ destination: 'one.example' })).list, [{ state: 'sending', destination: 'one.example' }])
    await report(first!, 'deferred', clock.now() + 1_000)
    await report(second!, 'sent', null)
    t.match((await list()).list, [
      {
        destination: 'one.example',
        state: 'deferred',
        attempts: 1,
        reason: /451 4\.7\.1 greylisted/,
        nextAttemptAt: new Date(clock.now() + 1_000).toISOString().replace('.000Z', 'Z'),
      },
    ])
    await drain()
    t.same((await list()).list, [])
  })

  t.test('a held message is not claimed until it is released; others are', async (t) => {
    const [held, free] = [await send('ann@one.example'), await send('ann@one.example')]
    t.match(await change('hold', [held]), { changed: [held] })
    t.match((await list({ isHeld: true })).list, [{ submissionId: held, state: 'held', nextAttemptAt: null }])
    const claimed = await claim()
    t.same(
      claimed.map(({ submissionId }) => submissionId),
      [free],
    )
    for (const one of claimed) await report(one, 'sent', null)
    await change('release', [held])
    t.match(await claim(), [{ submissionId: held }])
    await drain()
  })

  t.test('a message that is held while it is sent stays held afterwards', async (t) => {
    const id = await send('ann@one.example')
    const [claimed] = await claim()
    await change('hold', [id])
    await report(claimed!, 'deferred', clock.now() + 1)
    clock.advance(1_000_000)
    t.same(await claim(), [])
    await change('release', [id])
    await drain()
  })

  t.test('retry makes deferred destinations due at once, or the one that is named', async (t) => {
    const id = await send('ann@one.example', 'ben@two.example')
    for (const one of await claim()) await report(one, 'deferred', clock.now() + 3_600_000)
    t.same(await claim(), [])
    await change('retry', [id], 'two.example')
    const again = await claim()
    t.match(again, [{ destination: 'two.example', attempts: 1 }])
    t.match(await change('retry', [id], 'two.example'), { notChanged: { [id]: { type: 'forbidden' } } })
    await drain()
  })

  t.test('a deleted message is never sent, and its recipients show a failure', async (t) => {
    const id = await send('ann@one.example', 'ben@two.example')
    await change('delete', [id], 'one.example')
    const claimed = await claim()
    t.match(claimed, [{ destination: 'two.example' }])
    t.match(await change('delete', [id]), { notChanged: { [id]: { type: 'forbidden' } } }, 'not while it is sent')
    await report(claimed[0]!, 'deferred', clock.now() + 1_000)
    await change('delete', [id])
    clock.advance(1_000_000)
    t.same(await claim(), [])
    const [submission] = (await hello.call('EmailSubmission/get', { ids: [id] })).list
    t.match(submission.deliveryStatus, {
      'ann@one.example': { delivered: 'no', smtpReply: /^550 5\.7\.0/ },
      'ben@two.example': { delivered: 'no' },
    })
    t.match((await hello.call('EmailSubmission/set', { destroy: [id] })).destroyed, [id])
  })

  t.test('entries of a suspended or throttled organization say so', async (t) => {
    const id = await send('ann@one.example')
    const becomes = async (recipients: number, bounces: number) => {
      const tally = { recipients, bounces, complaints: 0 }
      await test.store.write([hello.account], (work) => addToTally(work.account(hello.account), tally))
      await core.evaluateReputations()
    }
    await becomes(100, 9)
    t.match((await list()).list, [{ submissionId: id, state: 'queued', reason: /throttled.* 25 %/ }])
    const [claimed] = await claim()
    await becomes(100, 30)
    t.match((await list()).list, [{ state: 'sending' }], 'what is under way goes on')
    await report(claimed!, 'deferred', clock.now() + 1_000)
    t.match((await list()).list, [{ state: 'suspended', reason: /reputation/, nextAttemptAt: null }])
    await change('hold', [id])
    t.match((await list()).list, [{ state: 'held' }], 'an administrator comes first')
    await change('release', [id])
    await becomes(10_000, 0)
    clock.advance(72 * 3_600_000)
    await core.evaluateReputations()
    t.match((await list()).list, [{ state: 'queued', reason: /^It waits for its turn: the destination/ }], 'control')
    await drain()
  })

  t.test('the list is paged', async (t) => {
    const ids = [await send('ann@one.example', 'ben@two.example'), await send('ann@one.example')]
    const seen: unknown[] = []
    let after: string | null = null
    do {
      const page = await list({ limit: 1, after })
      seen.push(...page.list.map(({ submissionId, destination }) => [submissionId, destination]))
      after = page.next
    } while (after !== null)
    t.same(seen, [
      [ids[0], 'one.example'],
      [ids[0], 'two.example'],
      [ids[1], 'one.example'],
    ])
    await drain()
  })

  t.test('another organization cannot see or change it', async (t) => {
    const id = await send('ann@one.example')
    const other = await test.organizationWith('other.test')
    const [listed, changed] = await request([
      ['Queue/list', { accountId: other.accountId }],
      ['Queue/change', { accountId: other.accountId, submissionIds: [id], action: 'delete' }],
    ])
    t.same((listed as never)[1]['list'], [])
    t.match(changed![1], { notChanged: { [id]: { type: 'notFound' } } })
    t.match(await claim(), [{ submissionId: id }], 'control: it is there')
    await drain()
  })

  t.test('a key that is limited to other mailboxes cannot see or change it', async (t) => {
    const id = await send('ann@one.example')
    const limited = await mailbox('limited')
    const scopes = ['organization:read', 'organization:write']
    const { principal } = await test.key({ scopes, mailboxIds: [limited.accountId] })
    const all = await test.key({ scopes })
    const calls = [
      ['Queue/list', { accountId }],
      ['Queue/change', { accountId, submissionIds: [id], action: 'hold' }],
    ]
    const [listed, changed] = await request(calls as never, principal)
    t.same([listed![0], (listed as never)[1]['list']], ['Queue/list', []])
    t.match(changed, ['Queue/change', { changed: null, notChanged: { [id]: { type: 'notFound' } } }])
    t.match((await request(calls as never, all.principal))[0]![1], { list: [{ submissionId: id }] }, 'control')
    await change('release', [id])
    await drain()
  })
})

import t from 'tap'
import type { QueuedSubmission } from '../../../jmap/mail/submission/queue-description.ts'
import type { RecipientOutcome } from '../../../jmap/mail/submission/queue-report.ts'
import { startCore, type TestMailbox } from '../../support/core.ts'
import { forEachEngine } from '../../support/engines.ts'
import { octets } from '../mails.ts'

const LEASE = 60_000

await forEachEngine(t, async (t, engine) => {
  const { core, clock, store, mailbox, key } = await startCore(t, engine)
  const hello = await mailbox('hello')
  const identityId = (await hello.call('Identity/get', { ids: null })).list[0].id as string
  /** Sends to some recipients; returns the id of the submission. */
  const send = async (to: readonly string[], hold = 0, email: object = {}) => {
    const create = {
      e: {
        mailboxIds: { [hello.roles['sent']!]: true },
        from: [{ email: hello.address }],
        to: to.map((one) => ({ email: one })),
        subject: 'Queued',
        ...email,
      },
    }
    const emailId = (await hello.call('Email/set', { create })).created.e.id
    const mailFrom = { email: hello.address, parameters: hold > 0 ? { HOLDFOR: String(hold) } : null }
    const envelope = { mailFrom, rcptTo: to.map((one) => ({ email: one, parameters: { NOTIFY: 'FAILURE' } })) }
    const { created } = await hello.call('EmailSubmission/set', { create: { s: { identityId, emailId, envelope } } })
    return { id: created.s.id as string, emailId: emailId as string }
  }
  const claim = (limit = 10, owner = 'worker') => core.claimSubmissions(owner, limit, LEASE)
  const read = async (id: string) => (await hello.call('EmailSubmission/get', { ids: [id] })).list[0]
  const report = (
    { account, submission, lease }: QueuedSubmission,
    outcomes: readonly RecipientOutcome[],
    retryAt: number | null = null,
  ) => core.reportAttempts([{ account, submission, lease, outcomes, retryAt }])
  const outcome = (
    address: string,
    status: RecipientOutcome['status'],
    smtpReply = '250 2.0.0 ok',
  ): RecipientOutcome => ({
    address,
    status,
    smtpReply,
    host: 'mx.example.org',
  })
  /** Takes the messages that other tests left. */
  const drain = async () => {
    for (const one of await claim(1_000))
      await report(
        one,
        one.recipients.map(({ address }) => outcome(address, 'sent')),
      )
  }

  t.test('a renewed lease stays; one that is not passes to the next worker and cannot be renewed', async (t) => {
    await send(['ann@example.org', 'ben@example.net'])
    const [kept, left] = await claim()
    clock.advance(LEASE - 1)
    t.match(await core.renewSubmissions([kept!], LEASE), [{ submission: kept!.submission, lease: kept!.lease }])
    clock.advance(LEASE - 1)
    const again = await claim(10, 'another')
    t.match(again, [{ destination: left!.destination }], 'only what nobody renewed')
    t.same(await core.renewSubmissions([left!], LEASE), [])
    t.match(await core.renewSubmissions([kept!, left!], LEASE), [{ lease: kept!.lease }])
    for (const one of [kept!, again[0]!]) {
      const [{ address } = { address: '' }] = one.recipients
      await report(one, [outcome(address, 'sent')])
    }
    t.same(await core.renewSubmissions([kept!], LEASE), [], 'nor is there anything to renew after the report')
    clock.advance(LEASE)
    t.same(await claim(), [])
  })

  t.test('due messages are claimed with all data that a worker needs', async (t) => {
    const { id } = await send(['ann@example.org', 'ben@example.org'])
    const [claimed, ...more] = await claim()
    t.same(more, [])
    t.match(claimed, {
      account: hello.account,
      submissionId: id,
      mailFrom: hello.address,
      parameters: {},
      recipients: [
        { address: 'ann@example.org', parameters: { NOTIFY: 'FAILURE' } },
        { address: 'ben@example.org', parameters: { NOTIFY: 'FAILURE' } },
      ],
      queuedAt: clock.now(),
      attempts: 0,
      dkim: [
        { domain: 'example.test', selector: /./, algorithm: 'rsa', privateKey: /PRIVATE KEY/ },
        { domain: 'example.test', selector: /./, algorithm: 'ed25519', privateKey: /PRIVATE KEY/ },
      ],
      lease: /./,
    })
    t.match(Buffer.from(claimed!.bytes).toString(), /^Date: /)
    await report(claimed!, [outcome('ann@example.org', 'sent'), outcome('ben@example.org', 'sent')])
  })

  t.test('Bcc is not in the sent message, and stays in the email (RFC 8621 7.5)', async (t) => {
    const { emailId } = await send(['ann@example.org'], 0, { bcc: [{ email: 'secret@example.org' }] })
    const [claimed] = await claim()
    t.notMatch(Buffer.from(claimed!.bytes).toString(), /secret|^bcc:/im)
    t.match((await hello.call('Email/get', { ids: [emailId] })).list[0], { bcc: [{ email: 'secret@example.org' }] })
    await report(claimed!, [outcome('ann@example.org', 'sent')])
  })

  t.test('a held message is not claimed before its time, and is then final (RFC 8621 7)', async (t) => {
    const { id } = await send(['ann@example.org'], 100)
    t.equal(await core.nextSubmissionAt(), clock.now() + 100_000)
    clock.advance(99_999)
    t.same(await claim(), [])
    t.equal((await read(id)).undoStatus, 'pending')
    clock.advance(1)
    const { state } = await hello.call('EmailSubmission/get', { ids: [] })
    t.equal((await claim()).length, 1)
    t.equal((await read(id)).undoStatus, 'final')
    t.same((await hello.call('EmailSubmission/changes', { sinceState: state })).updated, [id])
    const { notUpdated } = await hello.call('EmailSubmission/set', { update: { [id]: { undoStatus: 'canceled' } } })
    t.match(notUpdated[id], { type: 'cannotUnsend' })
    clock.advance(LEASE + 1)
    await drain()
  })

  t.test('a canceled message is never claimed (RFC 8621 7.5)', async (t) => {
    const { id } = await send(['ann@example.org'], 100)
    await hello.call('EmailSubmission/set', { update: { [id]: { undoStatus: 'canceled' } } })
    clock.advance(1_000_000)
    t.same(await claim(), [])
    t.equal(await core.nextSubmissionAt(), null)
  })

  t.test('of a simultaneous claim and cancel one wins (RFC 8621 7.5)', async (t) => {
    for (let i = 0; i < 10; i++) {
      const { id } = await send(['ann@example.org'], 100)
      clock.advance(100_000)
      const cancel = { update: { [id]: { undoStatus: 'canceled' } } }
      const [claimed, answer] = await Promise.all([claim(), hello.call('EmailSubmission/set', cancel)])
      t.equal(claimed.length, answer.updated ? 0 : 1)
      t.equal((await read(id)).undoStatus, answer.updated ? 'canceled' : 'final')
      for (const one of claimed) await report(one, [outcome('ann@example.org', 'sent')])
    }
  })

  t.test('of several workers one gets each submission', async (t) => {
    for (let i = 0; i < 6; i++) await send([`to${i}@example.org`])
    const claims = await Promise.all([claim(4, 'a'), claim(4, 'b'), claim(4, 'c')])
    const ids = claims.flat().map(({ submissionId }) => submissionId)
    t.equal(ids.length, 6)
    t.equal(new Set(ids).size, 6)
    for (const claimed of claims) t.ok(claimed.length <= 4)
    for (const one of claims.flat()) await report(one, [outcome(one.recipients[0]!.address, 'sent')])
  })

  t.test('a claim takes no more than requested, the oldest first', async (t) => {
    const first = await send(['a@example.org'])
    clock.advance(10)
    await send(['b@example.org'])
    const [claimed, ...more] = await claim(1)
    t.same(more, [])
    t.equal(claimed!.submissionId, first.id)
    await report(claimed!, [outcome('a@example.org', 'sent')])
    await drain()
  })

  t.test('a lease excludes other workers until it ends', async (t) => {
    await send(['ann@example.org'])
    const [first] = await claim()
    t.same(await claim(), [])
    t.equal(await core.nextSubmissionAt(), clock.now() + LEASE)
    clock.advance(LEASE)
    const [second] = await claim()
    t.equal(second!.submissionId, first!.submissionId)
    t.not(second!.lease, first!.lease)
    await report(second!, [outcome('ann@example.org', 'sent')])
  })

  t.test('a report under a lease that has passed to another worker changes nothing (promise L1)', async (t) => {
    const { id } = await send(['ann@example.org'])
    const [lost] = await claim()
    clock.advance(LEASE + 1)
    const [current] = await claim()
    const before = await read(id)
    await report(lost!, [outcome('ann@example.org', 'refused', '550 5.1.1 too late')])
    t.same(await read(id), before)
    await report(current!, [outcome('ann@example.org', 'sent', '250 2.0.0 in time')])
    t.match((await read(id)).deliveryStatus['ann@example.org'], { smtpReply: '250 2.0.0 in time' })
    await report(current!, [outcome('ann@example.org', 'refused', '550 5.1.1 twice')])
    t.match(
      (await read(id)).deliveryStatus['ann@example.org'],
      { smtpReply: '250 2.0.0 in time' },
      'a report counts once',
    )
  })

  t.test('each recipient has its own outcome, and deferred ones are retried (RFC 8621 7)', async (t) => {
    const { id, emailId } = await send(['ok@example.org', 'no@example.org', 'later@example.org'])
    const [claimed] = await claim()
    const { state } = await hello.call('EmailSubmission/get', { ids: [] })
    const retryAt = clock.now() + 300_000
    await report(
      claimed!,
      [
        outcome('ok@example.org', 'sent', '250 2.0.0 taken'),
        outcome('no@example.org', 'refused', '550 5.1.1 nobody here'),
        outcome('later@example.org', 'deferred', '451 4.3.0 come back'),
      ],
      retryAt,
    )
    t.same((await read(id)).deliveryStatus, {
      'ok@example.org': { smtpReply: '250 2.0.0 taken', delivered: 'unknown', displayed: 'unknown' },
      'no@example.org': { smtpReply: '550 5.1.1 nobody here', delivered: 'no', displayed: 'unknown' },
      'later@example.org': { smtpReply: '451 4.3.0 come back', delivered: 'queued', displayed: 'unknown' },
    })
    t.same((await hello.call('EmailSubmission/changes', { sinceState: state })).updated, [id])
    const look = async () =>
      (await hello.call('Email/get', { ids: [emailId], properties: ['deliveryStatus'] })).list[0].deliveryStatus
    t.equal(await look(), 'deferred')
    const { list } = await hello.call('Email/get', { ids: [emailId], properties: ['recipients'] })
    t.same(
      list[0].recipients.map(({ status }: { status: string }) => status),
      ['delivered', 'bounced', 'deferred'],
    )
    t.same(await claim(), [])
    t.equal(await core.nextSubmissionAt(), retryAt)
    clock.advance(300_000)
    const [again] = await claim()
    t.same(
      again!.recipients.map(({ address }) => address),
      ['later@example.org'],
    )
    t.same([again!.attempts, again!.queuedAt], [1, claimed!.queuedAt])
    t.equal(await look(), 'sending')
    await report(again!, [outcome('later@example.org', 'sent')])
    t.equal(await look(), 'delivered')
    t.equal(await core.nextSubmissionAt(), null)
  })

  t.test('an email that is refused everywhere is bounced (decision D13)', async (t) => {
    const { emailId } = await send(['nobody@example.org'])
    const [claimed] = await claim()
    await report(claimed!, [outcome('nobody@example.org', 'refused', '550 5.1.1 nobody')])
    const { list } = await hello.call('Email/get', { ids: [emailId], properties: ['deliveryStatus', 'recipients'] })
    t.match(list[0], { deliveryStatus: 'bounced', recipients: [{ status: 'bounced', smtpReply: '550 5.1.1 nobody' }] })
  })

  t.test('a submission is sent even if its email is destroyed meanwhile (RFC 8621 7.5)', async (t) => {
    const { emailId } = await send(['ann@example.org'], 100)
    await hello.call('Email/set', { destroy: [emailId] })
    clock.advance(100_000)
    const [claimed] = await claim()
    t.match(Buffer.from(claimed!.bytes).toString(), 'Subject: Queued')
    await report(claimed!, [outcome('ann@example.org', 'sent')])
  })

  t.test('a message that cannot be read holds up no other, and is retried', async (t) => {
    const bodyValues = { t: { value: 'x'.repeat(40_000) } }
    await send(['big@example.org'], 0, { bodyValues, textBody: [{ partId: 't' }] })
    await send(['small@example.org'])
    const { read: readBlob } = store.blobs
    store.blobs.read = async () => {
      throw new Error('the disk is away')
    }
    const claimed = await claim()
    store.blobs.read = readBlob
    t.same(
      claimed.map(({ recipients }) => recipients[0]!.address),
      ['small@example.org'],
    )
    await report(claimed[0]!, [outcome('small@example.org', 'sent')])
    t.same(await claim(), [])
    clock.advance(60_000)
    t.same(
      (await claim()).map(({ recipients }) => recipients[0]!.address),
      ['big@example.org'],
    )
    clock.advance(LEASE + 1)
    await drain()
  })

  t.test('a message from SMTP submission is an email in Sent and a submission (RFC 6409)', async (t) => {
    const box = await mailbox('smtp')
    const bytes = octets(
      `From: ${box.address}\nTo: ann@example.org\nSubject: By SMTP\nDate: Thu, 1 Jan 2026 00:00:00 +0000\n\nhi\n`,
    )
    const recipients = [{ address: 'ann@example.org', parameters: { NOTIFY: 'NEVER' } }, { address: 'ben@example.org' }]
    const result = await core.submit(box.principal, {
      bytes,
      mailFrom: box.address,
      recipients,
      parameters: { RET: 'FULL' },
    })
    if (result.status !== 'queued') throw new Error(result.description)
    const [email] = (
      await box.call('Email/get', { ids: [result.emailId], properties: ['mailboxIds', 'keywords', 'source'] })
    ).list
    t.match(email, { mailboxIds: { [box.roles['sent']!]: true }, keywords: { $seen: true }, source: 'smtp' })
    const [submission] = (await box.call('EmailSubmission/get', { ids: [result.submissionId] })).list
    t.match(submission, {
      identityId: (await box.call('Identity/get', { ids: null })).list[0].id,
      envelope: {
        mailFrom: { email: box.address, parameters: { RET: 'FULL' } },
        rcptTo: [{ email: 'ann@example.org', parameters: { NOTIFY: 'NEVER' } }, { email: 'ben@example.org' }],
      },
    })
    const [claimed] = await claim()
    t.ok(Buffer.from(claimed!.bytes).equals(bytes))
    await drain()
  })

  t.test('a refused message leaves nothing (promise S5)', async (t) => {
    const box = await mailbox('forger')
    const refused = async (from: string, mailFrom = box.address, recipients = ['ann@example.org']) => {
      const date = 'Thu, 1 Jan 2026 00:00:00 +0000'
      const bytes = octets(`${from}\nTo: ann@example.org\nDate: ${date}\nSubject: x\n\nhi\n`)
      const result = await core.submit(box.principal, {
        bytes,
        mailFrom,
        recipients: recipients.map((address) => ({ address })),
      })
      return result.status === 'refused' ? result.reason : result.status
    }
    t.equal(await refused('From: boss@example.org'), 'forbiddenFrom')
    t.equal(await refused(`From: ${box.address}`, 'boss@example.org'), 'forbiddenFrom')
    t.equal(await refused(`From: boss@example.org\nFrom: ${box.address}`), 'invalidEmail')
    t.equal(await refused('X-Nothing: y'), 'invalidEmail')
    const many = Array.from({ length: 101 }, (_, i) => `to${i}@example.org`)
    t.equal(await refused(`From: ${box.address}`, box.address, many), 'tooManyRecipients')
    t.equal((await box.call('Email/query', { calculateTotal: true })).total, 0)
    t.same((await box.call('EmailSubmission/query', {})).ids, [])
    const { principal } = await key({ scopes: ['messages:write'] })
    const bytes = octets(`From: ${box.address}\n\nhi\n`)
    const byKey = await core.submit(principal, { bytes, mailFrom: box.address, recipients: [{ address: 'a@x.org' }] })
    t.match(byKey, { status: 'refused', reason: 'forbiddenToSend' })
    t.equal(await refused(`From: ${box.address}`), 'queued', 'control')
    await drain()
  })

  t.test('SMTP submission refuses a message over quota', async (t) => {
    const small = await startCore(t, engine, { mailboxStorageBytes: 200 })
    const box: TestMailbox = await small.mailbox('small')
    const bytes = octets(`From: ${box.address}\nTo: a@x.org\n\n${'x'.repeat(300)}\n`)
    const result = await small.core.submit(box.principal, {
      bytes,
      mailFrom: box.address,
      recipients: [{ address: 'a@x.org' }],
    })
    t.match(result, { status: 'refused', reason: 'overQuota' })
  })
})

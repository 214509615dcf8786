/**
 * Effects of the results of recipients: events (decision D24), counts (decision D26), suppressions (decision D25), states (decision
 * D13); from attempts and from reports that come back.
 */
import t from 'tap'
import type { RecipientOutcome } from '../../../../jmap/mail/submission/queue-report.ts'
import type { ReturnToken } from '../../../../jmap/mail/submission/return-token.ts'
import { eventsOf } from '../../../../storage/repos/events.ts'
import { talliesSince } from '../../../../storage/repos/sending-tally.ts'
import { type Result, startCore, type TestMailbox } from '../../../support/core.ts'
import { forEachEngine } from '../../../support/engines.ts'
import { hearEvents } from '../../../support/hear-events.ts'
import { arf, dsn, octets } from './returned-mails.ts'

const HOUR = 3_600_000
const ACCEPTED = { status: 'sent', smtpReply: '250 2.0.0 ok', host: 'mx.example.org' } as const

await forEachEngine(t, async (t, engine) => {
  const { core, store, organizationWith, request } = await startCore(t, engine)
  let made = 0

  /** A separate organization, so that tests do not affect each other. */
  const sender = async () => {
    const organization = await organizationWith(`sender${++made}.test`)
    await hearEvents({ request, organization })
    const hello = await organization.mailbox('hello')
    const identityId = (await hello.call('Identity/get', { ids: null })).list[0].id as string
    const submit = async (...to: string[]) => {
      const email = { mailboxIds: { [hello.roles['sent']!]: true }, from: [{ email: hello.address }], subject: 'Hi' }
      const emailId = (await hello.call('Email/set', { create: { e: email } })).created.e.id as string
      const envelope = { mailFrom: { email: hello.address }, rcptTo: to.map((one) => ({ email: one })) }
      const { created } = await hello.call('EmailSubmission/set', { create: { s: { identityId, emailId, envelope } } })
      const claimed = await core.claimSubmissions('worker', 10, HOUR)
      const report = async (outcomes: readonly Partial<RecipientOutcome>[], retryAt: number | null = null) => {
        const whole = outcomes.map((one) => ({ ...ACCEPTED, ...one }) as RecipientOutcome)
        await core.reportAttempts(
          claimed.map(({ account, submission, lease }) => ({ account, submission, lease, outcomes: whole, retryAt })),
        )
      }
      const { account, submission } = claimed[0]!
      const token = (position = 0): ReturnToken => ({ account, submission, position, isAddressee: true })
      return { emailId, submissionId: created.s.id as string, report, token }
    }
    const seen = async () => {
      const { events, tallies } = await store.read(async (reader) => ({
        events: await eventsOf(reader, organization.account),
        tallies: await talliesSince(reader, 0, organization.account),
      }))
      const sending = events.filter(({ type }) => type.startsWith('message.') && type !== 'message.received')
      return {
        events: sending.map(({ type, data }) => [type, data['to']]),
        data: sending.map(({ data }) => data),
        tally: tallies.get(organization.account) ?? { recipients: 0, bounces: 0, complaints: 0 },
        suppressed: await suppressions(organization.accountId),
      }
    }
    return { organization, hello, submit, seen }
  }
  const suppressions = async (accountId: string) => {
    const [answer] = await request([['Suppression/get', { accountId, ids: null }]])
    return (answer as Result)[1].list.map(({ email, reason }: Result) => [email, reason])
  }
  const comeBack = (to: TestMailbox, mail: string, returned: readonly ReturnToken[]) =>
    core.ingest([
      {
        bytes: octets(mail),
        recipients: [{ account: to.account, address: to.address }],
        receivedAt: 1_000,
        mailFrom: '',
        returned,
      },
    ])
  const recipientsOf = async (mailbox: TestMailbox, emailId: string) => {
    const properties = ['deliveryStatus', 'recipients']
    const { list } = await mailbox.call('Email/get', { ids: [emailId], properties })
    const statuses = (list[0].recipients as { status: string }[]).map(({ status }) => status)
    return [list[0].deliveryStatus, ...statuses]
  }

  t.test('message.sent is reported once, message.delivered for each recipient on its 250', async (t) => {
    const { submit, seen, hello } = await sender()
    const { report, emailId } = await submit('a@example.org', 'b@example.org')
    await report([{ address: 'a@example.org' }, { address: 'b@example.org', status: 'deferred' }], 0)
    const [again] = await core.claimSubmissions('worker', 10, HOUR)
    const { account, submission, lease } = again!
    const outcomes = [{ ...ACCEPTED, address: 'b@example.org' } as RecipientOutcome]
    await core.reportAttempts([{ account, submission, lease, outcomes, retryAt: null }])
    await core.reportAttempts([{ account, submission, lease, outcomes, retryAt: null }])
    const { events, data, tally } = await seen()
    t.same(events, [
      ['message.sent', ['a@example.org', 'b@example.org']],
      ['message.delivered', 'a@example.org'],
      ['message.delivered', 'b@example.org'],
    ])
    t.match(data[0], { message_id: emailId, mailbox_id: String, subject: 'Hi' })
    t.same(tally, { recipients: 2, bounces: 0, complaints: 0 })
    t.same(await recipientsOf(hello, emailId), ['delivered', 'delivered', 'delivered'])
  })

  t.test(
    'a message that is refused everywhere is only bounced, and a recipient reported as gone is suppressed',
    async (t) => {
      const { submit, seen, hello } = await sender()
      const { report, emailId } = await submit('gone@example.org')
      await report([{ address: 'gone@example.org', status: 'refused', smtpReply: '550 5.1.1 No such user' }])
      const { events, data, tally, suppressed } = await seen()
      t.same(events, [['message.bounced', 'gone@example.org']])
      t.match(data, [{ bounce_type: 'permanent', smtp_code: 550, diagnostic: '550 5.1.1 No such user' }])
      t.same(tally, { recipients: 1, bounces: 1, complaints: 0 })
      t.same(suppressed, [['gone@example.org', 'hard_bounce']])
      t.same(await recipientsOf(hello, emailId), ['bounced', 'bounced'])
    },
  )

  t.test('a refusal for another reason suppresses no one', async (t) => {
    const { submit, seen } = await sender()
    const replies = ['554 5.7.1 Your address is on a block list', '552 5.2.2 Mailbox full', '550 5.4.7 Given up']
    for (const [i, smtpReply] of replies.entries()) {
      const { report } = await submit(`r${i}@example.org`)
      await report([{ address: `r${i}@example.org`, status: 'refused', smtpReply }])
    }
    const ours = await submit('ours@example.org')
    await ours.report([{ address: 'ours@example.org', status: 'refused', smtpReply: '550 5.1.1 We say', host: null }])
    const { suppressed, tally, events } = await seen()
    t.equal(events.length, 4)
    t.same(suppressed, [])
    t.equal(tally.recipients, 4)
  })

  t.test('a bounce counts for the recipient that its address names', async (t) => {
    const { submit, seen, hello } = await sender()
    const { report, token, emailId, submissionId } = await submit('a@example.org', 'b@example.org')
    await report([{ address: 'a@example.org' }, { address: 'b@example.org' }])
    // Forwarded: the report names another address.
    await comeBack(hello, dsn({ recipient: 'b@elsewhere.example', status: '5.1.1', said: '550 5.1.1 No such user' }), [
      token(1),
    ])
    const { events, tally, suppressed } = await seen()
    t.same(events.at(-1), ['message.bounced', 'b@example.org'])
    t.same(tally, { recipients: 2, bounces: 1, complaints: 0 })
    t.same(suppressed, [['b@example.org', 'hard_bounce']])
    t.same(await recipientsOf(hello, emailId), ['delivered', 'delivered', 'bounced'])
    const [submission] = (await hello.call('EmailSubmission/get', { ids: [submissionId] })).list
    t.match(submission.deliveryStatus, {
      'a@example.org': { delivered: 'unknown' },
      'b@example.org': { delivered: 'no', smtpReply: '550 5.1.1 No such user' },
    })
  })

  t.test('a soft bounce and a policy bounce suppress no one; a delay is not a bounce', async (t) => {
    const { submit, seen, hello } = await sender()
    const { report, token } = await submit('a@example.org', 'b@example.org', 'c@example.org')
    await report(['a', 'b', 'c'].map((name) => ({ address: `${name}@example.org` })))
    await comeBack(hello, dsn({ recipient: 'a@example.org', status: '5.2.2', said: '552 5.2.2 Mailbox full' }), [
      token(0),
    ])
    await comeBack(hello, dsn({ recipient: 'b@example.org', status: '5.7.1', said: '554 5.7.1 Spam' }), [token(1)])
    const delay = dsn({ recipient: 'c@example.org', status: '4.4.1', said: '451 4.4.1 Later', action: 'delayed' })
    await comeBack(hello, delay, [token(2)])
    const { events, tally, suppressed } = await seen()
    t.same(events.slice(-2), [
      ['message.bounced', 'a@example.org'],
      ['message.bounced', 'b@example.org'],
    ])
    t.same(tally, { recipients: 3, bounces: 0, complaints: 0 })
    t.same(suppressed, [])
  })

  t.test('a report that is replayed a hundred times counts once', async (t) => {
    const { submit, seen, hello } = await sender()
    const { report, token } = await submit('a@example.org', 'b@example.org')
    await report([{ address: 'a@example.org' }, { address: 'b@example.org' }])
    const bounce = dsn({ recipient: 'a@example.org', status: '5.1.1', said: '550 5.1.1 No such user' })
    const complaint = arf({ recipient: 'b@example.org' })
    for (let i = 0; i < 100; i++) {
      await comeBack(hello, bounce, [token(0)])
      await comeBack(hello, complaint, [{ ...token(1), isAddressee: false }])
    }
    const { events, tally, suppressed } = await seen()
    t.same(events.slice(-2), [
      ['message.bounced', 'a@example.org'],
      ['message.complained', 'b@example.org'],
    ])
    t.equal(events.length, 5)
    t.same(tally, { recipients: 2, bounces: 1, complaints: 1 })
    t.same(suppressed, [
      ['a@example.org', 'hard_bounce'],
      ['b@example.org', 'complaint'],
    ])
  })

  t.test('a complaint is reported, counted, and suppresses; a report on authentication does not', async (t) => {
    const { submit, seen, hello } = await sender()
    const { report, token, emailId } = await submit('a@example.org')
    await report([{ address: 'a@example.org' }])
    const mention = { ...token(0), isAddressee: false }
    await comeBack(hello, arf({ recipient: 'a@example.org', type: 'auth-failure' }), [mention])
    t.same((await seen()).suppressed, [])
    await comeBack(hello, arf({ recipient: 'a@example.org' }), [mention])
    const { events, tally, suppressed } = await seen()
    t.same(events.at(-1), ['message.complained', 'a@example.org'])
    t.same(tally, { recipients: 1, bounces: 0, complaints: 1 })
    t.same(suppressed, [['a@example.org', 'complaint']])
    t.same(await recipientsOf(hello, emailId), ['complained', 'complained'])
  })

  t.test(
    'a bounce that only mentions a return address, or that another organization receives, changes nothing',
    async (t) => {
      const { submit, seen, hello } = await sender()
      const stranger = await sender()
      const { report, token } = await submit('a@example.org')
      await report([{ address: 'a@example.org' }])
      const before = await seen()
      const bounce = dsn({ recipient: 'a@example.org', status: '5.1.1', said: '550 5.1.1 No such user' })
      await comeBack(hello, bounce, [{ ...token(0), isAddressee: false }])
      await comeBack(stranger.hello, bounce, [token(0)])
      await comeBack(stranger.hello, arf({ recipient: 'a@example.org' }), [{ ...token(0), isAddressee: false }])
      await comeBack(hello, bounce, [{ ...token(0), position: 7 }])
      await comeBack(hello, bounce, [{ ...token(0), submission: 999_999 }])
      await comeBack(hello, bounce, [{ ...token(0), account: 999_999 }])
      await comeBack(hello, 'From: a@example.org\nSubject: I am away\n\nUntil Monday.\n', [token(0)])
      t.same(await seen(), before)
      await comeBack(hello, bounce, [token(0)])
      t.equal((await seen()).suppressed.length, 1, 'the true one counts')
    },
  )

  t.test('a report without a return address suppresses no one', async (t) => {
    const { submit, seen, hello } = await sender()
    const { report, submissionId } = await submit('a@example.org')
    await report([{ address: 'a@example.org' }])
    const bounce = dsn({
      recipient: 'a@example.org',
      status: '5.1.1',
      said: '550 5.1.1 gone',
      envelopeId: submissionId,
    })
    await comeBack(hello, bounce, [])
    const { suppressed, tally } = await seen()
    t.same(suppressed, [])
    t.equal(tally.bounces, 0)
    const [submission] = (await hello.call('EmailSubmission/get', { ids: [submissionId] })).list
    t.equal(submission.deliveryStatus['a@example.org'].delivered, 'no', 'the sender sees it all the same')
  })

  t.test('an unauthenticated report does not keep the true one from counting', async (t) => {
    const { submit, seen, hello } = await sender()
    const { report, token, submissionId } = await submit('a@example.org')
    await report([{ address: 'a@example.org' }])
    const bounce = dsn({
      recipient: 'a@example.org',
      status: '5.1.1',
      said: '550 5.1.1 gone',
      envelopeId: submissionId,
    })
    await comeBack(hello, bounce, [])
    await comeBack(hello, bounce, [token(0)])
    await comeBack(hello, bounce, [token(0)])
    const { events, suppressed, tally } = await seen()
    t.equal(events.filter(([type]) => type === 'message.bounced').length, 1)
    t.same(tally, { recipients: 1, bounces: 1, complaints: 0 })
    t.same(suppressed, [['a@example.org', 'hard_bounce']])
  })

  t.test('an unauthenticated complaint is reported, and counts only once it is authenticated', async (t) => {
    const { submit, seen, hello } = await sender()
    const stranger = await sender()
    const { report, token, emailId, submissionId } = await submit('a@example.org')
    await report([{ address: 'a@example.org' }])
    const claim = (envelopeId: string) => arf({ recipient: 'a@example.org', envelopeId })
    await comeBack(stranger.hello, claim(submissionId), [])
    await comeBack(hello, claim('another'), [])
    t.same((await seen()).events.length, 2, 'neither about another account nor about nothing')
    await comeBack(hello, claim(submissionId), [])
    await comeBack(hello, claim(submissionId), [])
    const claimed = await seen()
    t.same(claimed.events.slice(2), [['message.complained', 'a@example.org']])
    t.same([claimed.suppressed, claimed.tally.complaints], [[], 0])
    t.same(await recipientsOf(hello, emailId), ['complained', 'complained'])
    await comeBack(hello, claim(submissionId), [{ ...token(0), isAddressee: false }])
    const proven = await seen()
    t.equal(proven.events.length, 3)
    t.same([proven.suppressed, proven.tally.complaints], [[['a@example.org', 'complaint']], 1])
  })

  t.test(
    'a notice in words is linked by its return address, or by the Message-ID of the returned message',
    async (t) => {
      const { submit, hello, seen } = await sender()
      const notice = (original: string) =>
        `From: MAILER-DAEMON@mx.example.org\nTo: ${hello.address}\nSubject: failure notice\n\n<a@example.org>:\n550 5.1.1 No such user\n\n--- Below this line is a copy of the message.\n\n${original}\n`
      for (const way of ['address', 'id']) {
        const address = `${way}@example.org`
        const { report, token, submissionId, emailId } = await submit(address)
        await report([{ address }])
        const { list } = await hello.call('Email/get', { ids: [emailId], properties: ['messageId'] })
        const id = way === 'id' ? `Message-ID: <${list[0].messageId[0]}>` : 'Subject: Hi'
        const text = notice(id).replaceAll('a@example.org', address)
        await comeBack(hello, text, way === 'id' ? [] : [token()])
        const [submission] = (await hello.call('EmailSubmission/get', { ids: [submissionId] })).list
        t.equal(submission.dsnBlobIds.length, 1, way)
        t.match(submission.deliveryStatus[address], { delivered: 'no', smtpReply: '550 5.1.1 No such user' }, way)
      }
      const { events, suppressed } = await seen()
      t.same(
        events.filter(([type]) => type === 'message.bounced'),
        [
          ['message.bounced', 'address@example.org'],
          ['message.bounced', 'id@example.org'],
        ],
      )
      t.same(suppressed, [['address@example.org', 'hard_bounce']], 'only the authenticated one suppresses')
    },
  )

  t.test("a bounce that comes before the worker's report counts once", async (t) => {
    const { submit, seen, hello } = await sender()
    const { report, token, emailId } = await submit('a@example.org')
    const bounce = dsn({ recipient: 'a@example.org', status: '5.1.1', said: '550 5.1.1 No such user' })
    await comeBack(hello, bounce, [token(0)])
    await report([{ address: 'a@example.org' }])
    await comeBack(hello, bounce, [token(0)])
    const { events, suppressed, tally } = await seen()
    t.equal(events.filter(([type]) => type === 'message.bounced').length, 1)
    t.equal(suppressed.length, 1)
    t.same(tally, { recipients: 1, bounces: 1, complaints: 0 })
    t.same(await recipientsOf(hello, emailId), ['bounced', 'bounced'])
  })
})

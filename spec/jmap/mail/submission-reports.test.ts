// RFC 8621 7: delivery status notifications (RFC 3464) and read receipts (RFC 8098) are linked to their submission.
import t from 'tap'
import type { RecipientOutcome } from '../../../jmap/mail/submission/queue-report.ts'
import type { JsonObject } from '../../../server/base/json.ts'
import { type Result, startCore } from '../../support/core.ts'
import { forEachEngine } from '../../support/engines.ts'
import { matchWhole } from '../../support/match-whole.ts'
import { octets } from '../mails.ts'

const HOUR = 3_600_000

interface Report {
  readonly type?: string
  readonly fields?: readonly string[]
  readonly groups?: readonly (readonly string[])[]
  readonly original?: string | null
  readonly headers?: readonly string[]
}

/** A report as other servers write them. */
function report({ type = 'delivery-status', fields = [], groups = [], original = null, headers = [] }: Report): string {
  const reportType = type === 'delivery-status' ? type : 'disposition-notification'
  return [
    'From: Mail Delivery System <mailer-daemon@example.org>',
    'To: hello@example.test',
    'Subject: Report',
    ...headers,
    'MIME-Version: 1.0',
    `Content-Type: multipart/report; report-type=${reportType}; boundary=b`,
    '',
    '--b',
    '',
    'What became of your message.',
    '--b',
    `Content-Type: message/${type}`,
    '',
    [fields, ...groups].map((group) => group.map((line) => `${line}\n`).join('')).join('\n'),
    '--b',
    ...(original === null ? [] : ['Content-Type: text/rfc822-headers', '', `Message-ID: <${original}>`, '--b']),
  ]
    .join('\n')
    .replace(/--b$/, '--b--\n')
}

await forEachEngine(t, async (t, engine) => {
  const { core, clock, mailbox } = await startCore(t, engine, { mailboxStorageBytes: 100_000 })
  const hello = await mailbox('hello')
  const identityId = (await hello.call('Identity/get', { ids: null })).list[0].id as string
  let made = 0
  /** Sends, and reports the next hop's reply; returns the submission's id, its ENVID on the wire and its Message-ID. */
  const send = async (
    to: readonly string[],
    { parameters = null, outcomes }: { parameters?: JsonObject | null; outcomes?: readonly RecipientOutcome[] } = {},
  ) => {
    const messageId = `m${++made}@example.test`
    const email = {
      mailboxIds: { [hello.roles['sent']!]: true },
      from: [{ email: hello.address }],
      messageId: [messageId],
      subject: 'Reported on',
    }
    const mailFrom = { email: hello.address, parameters }
    const envelope = { mailFrom, rcptTo: to.map((address) => ({ email: address })) }
    const emailId = (await hello.call('Email/set', { create: { e: email } })).created.e.id as string
    const { created } = await hello.call('EmailSubmission/set', { create: { s: { identityId, emailId, envelope } } })
    const [claimed] = await core.claimSubmissions('worker', 1, HOUR)
    const handedOver = to.map((address) => outcome(address))
    const { account, submission, lease } = claimed!
    await core.reportAttempts([{ account, submission, lease, outcomes: outcomes ?? handedOver, retryAt: null }])
    return { id: created.s.id as string, emailId, messageId, submission, envid: claimed!.parameters['ENVID']! }
  }
  const outcome = (address: string, more: Partial<RecipientOutcome> = {}): RecipientOutcome => ({
    address,
    status: 'sent',
    smtpReply: '250 2.0.0 ok',
    host: 'mx.example.org',
    ...more,
  })
  const read = async (id: string) => (await hello.call('EmailSubmission/get', { ids: [id] })).list[0]
  const blobIdOf = async (emailId: string) =>
    (await hello.call('Email/get', { ids: [emailId], properties: ['blobId'] })).list[0].blobId as string
  const failed = (address: string, more: readonly string[] = []) => [
    `Final-Recipient: rfc822; ${address}`,
    'Action: failed',
    'Status: 5.1.1',
    ...more,
  ]
  const delivered = (address: string) => [`Final-Recipient: rfc822; ${address}`, 'Action: delivered', 'Status: 2.1.5']

  t.test('the ENVID on the wire is the id of the submission, unless the client set one (RFC 8621 7)', async (t) => {
    const own = await send(['ann@example.org'])
    t.equal(own.envid, own.id)
    t.equal((await send(['ann@example.org'], { parameters: { ENVID: 'mine' } })).envid, 'mine')
    t.same((await read(own.id)).envelope.mailFrom.parameters, null, 'the envelope stays as it was given')
  })

  t.test('a failure report is in dsnBlobIds, and delivered is no with the reply (RFC 8621 7)', async (t) => {
    const { id, envid, emailId } = await send(['ann@example.org', 'ben@example.org'])
    const { state } = await hello.call('EmailSubmission/get', { ids: [] })
    const diagnostic = 'Diagnostic-Code: smtp; 550-5.1.1 no such person'
    const dsn = await hello.receive(
      report({ fields: [`Original-Envelope-Id: ${envid}`], groups: [failed('ANN@example.org', [diagnostic])] }),
    )
    const submission = await read(id)
    t.same(submission.dsnBlobIds, [await blobIdOf(dsn)])
    t.same(submission.mdnBlobIds, [])
    t.same(submission.deliveryStatus, {
      'ann@example.org': { smtpReply: '550 5.1.1 no such person', delivered: 'no', displayed: 'unknown' },
      'ben@example.org': { smtpReply: '250 2.0.0 ok', delivered: 'unknown', displayed: 'unknown' },
    })
    t.same((await hello.call('EmailSubmission/changes', { sinceState: state })).updated, [id])
    const [email] = (await hello.call('Email/get', { ids: [emailId], properties: ['recipients', 'deliveryStatus'] }))
      .list
    t.match(email, { deliveryStatus: 'delivered', recipients: [{ status: 'bounced' }, { status: 'delivered' }] })
  })

  t.test('a delivery report sets delivered to yes; other actions only add the report (RFC 8621 7)', async (t) => {
    const { id, envid } = await send(['ann@example.org', 'ben@example.org'])
    const fields = [`Original-Envelope-Id: ${envid}`]
    for (const action of ['delayed', 'relayed', 'expanded'])
      await hello.receive(
        report({
          fields,
          groups: [['Final-Recipient: rfc822; ann@example.org', `Action: ${action}`, 'Status: 2.0.0']],
        }),
      )
    t.match((await read(id)).deliveryStatus['ann@example.org'], { delivered: 'unknown', smtpReply: '250 2.0.0 ok' })
    await hello.receive(report({ fields, groups: [delivered('ann@example.org'), failed('ben@example.org')] }))
    const submission = await read(id)
    t.same(submission.deliveryStatus['ann@example.org'], {
      smtpReply: '250 2.1.5 Delivered',
      delivered: 'yes',
      displayed: 'unknown',
    })
    t.match(submission.deliveryStatus['ben@example.org'], { smtpReply: '550 5.1.1 Delivery failed', delivered: 'no' })
    t.equal(submission.dsnBlobIds.length, 4)
  })

  t.test('reports are listed in order of receipt, oldest first, each once (RFC 8621 7)', async (t) => {
    const { id, envid } = await send(['ann@example.org'])
    const fields = [`Original-Envelope-Id: ${envid}`]
    const blobs: string[] = []
    for (const subject of ['one', 'two', 'three', 'two']) {
      const headers = [`X-Count: ${subject}`]
      blobs.push(await blobIdOf(await hello.receive(report({ fields, headers, groups: [] }))))
    }
    t.same((await read(id)).dsnBlobIds, blobs.slice(0, 3))
  })

  t.test('yes and no are final (RFC 8621 7)', async (t) => {
    const { id, envid } = await send(['ann@example.org'])
    const fields = [`Original-Envelope-Id: ${envid}`]
    await hello.receive(report({ fields, groups: [delivered('ann@example.org')] }))
    await hello.receive(report({ fields, groups: [failed('ann@example.org')] }))
    t.match((await read(id)).deliveryStatus['ann@example.org'], { delivered: 'yes' })
    const refused = await send(['ben@example.org'], {
      outcomes: [outcome('ben@example.org', { status: 'refused', smtpReply: '550 5.7.1 no' })],
    })
    await hello.receive(
      report({ fields: [`Original-Envelope-Id: ${refused.envid}`], groups: [delivered('ben@example.org')] }),
    )
    t.match((await read(refused.id)).deliveryStatus['ben@example.org'], { delivered: 'no', smtpReply: '550 5.7.1 no' })
  })

  t.test('of two groups for one recipient the first counts, among any number of others', async (t) => {
    const { id, envid } = await send(['ann@example.org', 'ben@example.org'])
    const strangers = Array.from({ length: 200 }, (_, i) => failed(`stranger${i}@example.org`))
    const groups = [delivered('ann@example.org'), failed('ann@example.org'), ...strangers]
    await hello.receive(report({ fields: [`Original-Envelope-Id: ${envid}`], groups }))
    t.match((await read(id)).deliveryStatus, {
      'ann@example.org': { delivered: 'yes' },
      'ben@example.org': { delivered: 'unknown' },
    })
  })

  t.test(
    'without an envelope id the Message-ID of the returned header, or In-Reply-To, finds the submission',
    async (t) => {
      const one = await send(['ann@example.org'])
      await hello.receive(report({ groups: [failed('ann@example.org')], original: one.messageId }))
      t.equal((await read(one.id)).deliveryStatus['ann@example.org'].delivered, 'no')
      const two = await send(['ann@example.org'])
      const headers = [`References: <x@example.org> <${two.messageId}>`]
      await hello.receive(report({ groups: [failed('ann@example.org')], headers }))
      t.equal((await read(two.id)).dsnBlobIds.length, 1)
    },
  )

  t.test("the client's envelope id distinguishes submissions of one message", async (t) => {
    const first = await send(['ann@example.org'], { parameters: { ENVID: 'first' } })
    const create = {
      s: {
        identityId,
        emailId: first.emailId,
        envelope: {
          mailFrom: { email: hello.address, parameters: { ENVID: 'second' } },
          rcptTo: [{ email: 'ann@example.org' }],
        },
      },
    }
    const second = (await hello.call('EmailSubmission/set', { create })).created.s.id
    await core.claimSubmissions('worker', 1, 1)
    const fields = ['Original-Envelope-Id: first']
    await hello.receive(report({ fields, groups: [failed('ann@example.org')], original: first.messageId }))
    t.equal((await read(first.id)).dsnBlobIds.length, 1)
    t.equal((await read(second)).dsnBlobIds.length, 0)
    clock.advance(1)
    for (const one of await core.claimSubmissions('worker', 9, HOUR))
      await core.reportAttempts([{ ...one, outcomes: [outcome('ann@example.org')], retryAt: null }])
  })

  t.test('a recipient is found by ORCPT, by its UTF-8 form, or as the only one', async (t) => {
    const envelope = async (rcptTo: readonly JsonObject[]) => {
      const { emailId, messageId } = await send(['x@example.org'])
      const mailFrom = { email: hello.address }
      const create = { s: { identityId, emailId, envelope: { mailFrom, rcptTo } } }
      const { id } = (await hello.call('EmailSubmission/set', { create })).created.s
      const [claimed] = await core.claimSubmissions('worker', 1, HOUR)
      const outcomes = claimed!.recipients.map(({ address }) => outcome(address))
      await core.reportAttempts([{ ...claimed!, outcomes, retryAt: null }])
      return { id: id as string, messageId, fields: [`Original-Envelope-Id: ${id}`] }
    }
    const status = async (id: string) =>
      Object.values((await read(id)).deliveryStatus).map((one) => (one as Result).delivered)
    const two = await envelope([
      { email: 'list@example.org', parameters: { ORCPT: 'rfc822;old@example.org' } },
      { email: 'jörg@example.org' },
    ])
    const original = ['Original-Recipient: rfc822;old@example.org', 'Final-Recipient: rfc822;new@example.com']
    await hello.receive(report({ ...two, groups: [[...original, 'Action: failed', 'Status: 5.0.0']] }))
    t.same(await status(two.id), ['no', 'unknown'])
    const utf8 = ['Final-Recipient: utf-8;j\\x{F6}rg@example.org', 'Action: delivered', 'Status: 2.0.0']
    await hello.receive(report({ ...two, type: 'global-delivery-status', groups: [utf8] }))
    const forwarded = await envelope([{ email: 'ann@example.org' }])
    await hello.receive(report({ ...forwarded, groups: [failed('forwarded@example.com')] }))
    t.same(await status(forwarded.id), ['no'])
    const unclear = await envelope([{ email: 'ann@example.org' }, { email: 'ben@example.org' }])
    await hello.receive(report({ ...unclear, groups: [failed('forwarded@example.com')] }))
    t.same(await status(unclear.id), ['unknown', 'unknown'], 'nobody is guessed at')
  })

  t.test('a read receipt is in mdnBlobIds and sets displayed to yes (RFC 8621 7)', async (t) => {
    const { id, messageId } = await send(['ann@example.org', 'ben@example.org'])
    const receipt = (address: string, disposition: string) =>
      report({
        type: 'disposition-notification',
        fields: [
          `Final-Recipient: rfc822; ${address}`,
          `Original-Message-ID: <${messageId}>`,
          `Disposition: manual-action/MDN-sent-manually; ${disposition}`,
        ],
      })
    const deleted = await hello.receive(receipt('ben@example.org', 'deleted'))
    const displayed = await hello.receive(receipt('ann@example.org', 'displayed'))
    const submission = await read(id)
    t.same(submission.mdnBlobIds, [await blobIdOf(deleted), await blobIdOf(displayed)])
    t.same(submission.dsnBlobIds, [])
    t.match(submission.deliveryStatus, {
      'ann@example.org': { displayed: 'yes', delivered: 'unknown' },
      'ben@example.org': { displayed: 'unknown' },
    })
  })

  t.test('a message stored in a mailbox of this server is delivered (RFC 8621 7)', async (t) => {
    const { id } = await send(['bob@example.test'], { outcomes: [outcome('bob@example.test', { host: null })] })
    t.equal((await read(id)).deliveryStatus['bob@example.test'].delivered, 'yes')
  })

  t.test('reports on other messages, and on unsent ones, are linked to nothing', async (t) => {
    const emailId = (
      await hello.call('Email/set', {
        create: {
          e: {
            mailboxIds: { [hello.roles['sent']!]: true },
            from: [{ email: hello.address }],
            to: [{ email: 'ann@example.org' }],
          },
        },
      })
    ).created.e.id
    const mailFrom = { email: hello.address, parameters: { HOLDFOR: '600' } }
    const create = { s: { identityId, emailId, envelope: { mailFrom, rcptTo: [{ email: 'ann@example.org' }] } } }
    const { id } = (await hello.call('EmailSubmission/set', { create })).created.s
    await hello.receive(report({ fields: [`Original-Envelope-Id: ${id}`], groups: [failed('ann@example.org')] }))
    matchWhole(t, await read(id), { dsnBlobIds: [], deliveryStatus: { 'ann@example.org': { delivered: 'queued' } } })
    await hello.call('EmailSubmission/set', { update: { [id]: { undoStatus: 'canceled' } } })
    const { state } = await hello.call('EmailSubmission/get', { ids: [] })
    for (const one of [
      { fields: ['Original-Envelope-Id: nonsense'], original: 'unknown@example.test' },
      { fields: [`Original-Envelope-Id: ${id}`] },
      {},
      { type: 'disposition-notification', fields: ['Original-Message-ID: <unknown@example.test>'] },
    ])
      await hello.receive(report({ groups: [failed('ann@example.org')], ...one }))
    t.equal((await hello.call('EmailSubmission/get', { ids: [] })).state, state)
  })

  t.test('a report that another account receives changes nothing in this one (promise J1)', async (t) => {
    const other = await mailbox('other')
    const { id, envid, messageId } = await send(['ann@example.org'])
    const fields = [`Original-Envelope-Id: ${envid}`]
    await other.receive(report({ fields, groups: [failed('ann@example.org')], original: messageId }))
    matchWhole(t, await read(id), { dsnBlobIds: [], deliveryStatus: { 'ann@example.org': { delivered: 'unknown' } } })
  })

  t.test('only received reports are linked, not imported or written ones', async (t) => {
    const { id, envid } = await send(['ann@example.org'])
    const bytes = octets(report({ fields: [`Original-Envelope-Id: ${envid}`], groups: [delivered('ann@example.org')] }))
    const { blobId } = (await core.upload(hello.principal, hello.accountId, 'message/rfc822', bytes))!
    const emails = { e: { blobId, mailboxIds: { [hello.roles['inbox']!]: true } } }
    t.ok((await hello.call('Email/import', { emails })).created)
    matchWhole(t, await read(id), { dsnBlobIds: [], deliveryStatus: { 'ann@example.org': { delivered: 'unknown' } } })
  })

  t.test('a notification of this server is listed, also if the mailbox is full', async (t) => {
    const { id, submission } = await send(['ann@example.org'])
    const tell = (evenOverQuota: boolean, body: string) =>
      core.ingest([
        {
          bytes: octets(`${report({ groups: [failed('ann@example.org')] })}\n${body}`),
          recipients: [{ account: hello.account, address: hello.address }],
          receivedAt: clock.now(),
          mailFrom: '',
          reports: { submission, evenOverQuota },
        },
      ])
    t.match(await tell(false, 'small'), [[{ status: 'stored' }]])
    t.equal((await read(id)).dsnBlobIds.length, 1)
    t.equal((await read(id)).deliveryStatus['ann@example.org'].delivered, 'unknown', 'the queue tells the rest')
    t.match(await tell(false, 'x'.repeat(100_000)), [[{ status: 'overQuota' }]])
    t.match(await tell(true, 'x'.repeat(100_000)), [[{ status: 'stored' }]])
    t.equal((await read(id)).dsnBlobIds.length, 2)
  })

  t.test('a report stays after its email is destroyed, as long as the submission exists', async (t) => {
    const box = await startCore(t, engine)
    const own = await box.mailbox('keeper')
    const identity = (await own.call('Identity/get', { ids: null })).list[0].id
    const create = {
      e: {
        mailboxIds: { [own.roles['sent']!]: true },
        from: [{ email: own.address }],
        to: [{ email: 'ann@example.org' }],
      },
    }
    const emailId = (await own.call('Email/set', { create })).created.e.id
    const submitted = await own.call('EmailSubmission/set', { create: { s: { identityId: identity, emailId } } })
    const { id } = submitted.created.s
    const [claimed] = await box.core.claimSubmissions('worker', 1, HOUR)
    await box.core.reportAttempts([{ ...claimed!, outcomes: [outcome('ann@example.org')], retryAt: null }])
    const dsn = await own.receive(
      report({ fields: [`Original-Envelope-Id: ${id}`], groups: [failed('ann@example.org')] }),
    )
    await own.call('Email/set', { destroy: [dsn] })
    const day = 24 * HOUR
    box.clock.advance(10 * day)
    await box.core.sweep()
    const [blobId] = (await own.call('EmailSubmission/get', { ids: [id] })).list[0].dsnBlobIds
    t.ok(await box.core.download(own.principal, own.accountId, blobId))
    t.same((await own.call('EmailSubmission/set', { destroy: [id] })).destroyed, [id])
    await box.core.sweep()
    t.equal(await box.core.download(own.principal, own.accountId, blobId), null)
  })
})

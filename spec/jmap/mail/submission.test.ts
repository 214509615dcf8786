import t from 'tap'
import type { Invocation } from '../../../jmap/protocol/messages.ts'
import type { JsonObject } from '../../../server/base/json.ts'
import { type Result, startCore, type TestMailbox } from '../../support/core.ts'
import { forEachEngine } from '../../support/engines.ts'
import { matchWhole } from '../../support/match-whole.ts'
import { octets } from '../mails.ts'

const DATE = 'Thu, 1 Jan 2026 00:00:00 +0000'

await forEachEngine(t, async (t, engine) => {
  const { core, clock, mailbox, request, store } = await startCore(t, engine, {
    maxRecipients: 3,
    maxSizeMessage: 3_000,
  })
  const hello = await mailbox('hello')
  const identityOf = async (box: TestMailbox) => (await box.call('Identity/get', { ids: null })).list[0].id as string
  const identityId = await identityOf(hello)
  const draft = async (email: object = {}, box: TestMailbox = hello) => {
    const create = {
      e: {
        mailboxIds: { [box.roles['drafts']!]: true },
        keywords: { $draft: true, $seen: true },
        from: [{ email: box.address }],
        to: [{ email: 'ann@example.org' }],
        subject: 'Sent',
        ...email,
      },
    }
    const { created, notCreated } = await box.call('Email/set', { create })
    if (!created) throw new Error(JSON.stringify(notCreated))
    return created.e.id as string
  }
  const submit = async (submission: object, more: object = {}): Promise<Result> => {
    const answer = await hello.call('EmailSubmission/set', { create: { s: { identityId, ...submission } }, ...more })
    return answer.created?.s ?? answer.notCreated.s
  }
  const read = async (id: string) => (await hello.call('EmailSubmission/get', { ids: [id] })).list[0]
  const envelope = (parameters: object | null = null, to: readonly string[] = ['ann@example.org']) => ({
    mailFrom: { email: hello.address, parameters },
    rcptTo: to.map((email) => ({ email, parameters: null })),
  })
  const seconds = (count: number) => ({ HOLDFOR: String(count) })

  t.test('created has the properties that the client did not send (RFC 8621 7)', async (t) => {
    const emailId = await draft()
    const made = await submit({ emailId })
    const { threadId } = (await hello.call('Email/get', { ids: [emailId], properties: ['threadId'] })).list[0]
    const expected = {
      threadId,
      envelope: {
        mailFrom: { email: hello.address, parameters: null },
        rcptTo: [{ email: 'ann@example.org', parameters: null }],
      },
      sendAt: new Date(clock.now()).toISOString().replace('.000Z', 'Z'),
      undoStatus: 'final',
      deliveryStatus: {
        'ann@example.org': { smtpReply: '250 2.0.0 queued', delivered: 'queued', displayed: 'unknown' },
      },
      dsnBlobIds: [],
      mdnBlobIds: [],
    }
    const { id, ...told } = made
    t.same(told, expected)
    t.same(await read(id), { id, identityId, emailId, ...expected })
  })

  t.test('without an envelope all of To, Cc and Bcc get the message, each once (RFC 8621 7)', async (t) => {
    const to = [{ email: 'ann@example.org' }, { name: 'Ann again', email: 'ANN@EXAMPLE.ORG' }]
    const emailId = await draft({ to, cc: [{ email: 'ben@example.org' }], bcc: [{ email: 'cid@example.org' }] })
    const made = await submit({ emailId })
    t.same(
      made.envelope.rcptTo.map(({ email }: { email: string }) => email),
      ['ann@example.org', 'ben@example.org', 'cid@example.org'],
    )
  })

  t.test(
    'without an envelope the return address is that of Sender, else of From, if the identity allows it (RFC 8621 7)',
    async (t) => {
      const mailFrom = async (email: object) => (await submit({ emailId: await draft(email) })).envelope.mailFrom.email
      const tagged = 'hello+tag@example.test'
      t.equal(await mailFrom({ from: [{ email: tagged }] }), tagged)
      t.equal(await mailFrom({ sender: [{ email: tagged }] }), tagged)
      const shop = 'hello+shop@example.test'
      const { created } = await hello.call('Identity/set', { create: { i: { email: shop } } })
      const emailId = await draft({ from: [{ email: shop }], sender: [{ email: tagged }] })
      const made = await submit({ identityId: created.i.id, emailId })
      t.equal(made.envelope.mailFrom.email, shop, 'else it is that of the identity')
    },
  )

  t.test('an unknown email or identity is invalidProperties (RFC 8621 7.5)', async (t) => {
    const emailId = await draft()
    const other = await mailbox('strange')
    for (const id of ['x', '#x', emailId.replace('msg', 'idn'), await identityOf(other)])
      t.match(await submit({ identityId: id, emailId }), { type: 'invalidProperties', properties: ['identityId'] })
    for (const id of ['x', identityId, await draft({}, other)])
      t.match(await submit({ emailId: id }), { type: 'invalidProperties', properties: ['emailId'] })
    t.match(await submit({}), { type: 'invalidProperties', properties: ['emailId'] })
  })

  t.test('server-set properties cannot be given (RFC 8621 7)', async (t) => {
    const emailId = await draft()
    for (const [name, value] of Object.entries({
      sendAt: '2030-01-01T00:00:00Z',
      threadId: 'x',
      undoStatus: 'pending',
    }))
      t.match(await submit({ emailId, [name]: value }), { type: 'invalidProperties', properties: [name] })
  })

  t.test('no recipients, invalid ones and too many have their own errors (RFC 8621 7.5)', async (t) => {
    t.match(await submit({ emailId: await draft({ to: null }) }), { type: 'noRecipients' })
    const emailId = await draft()
    t.match(await submit({ emailId, envelope: envelope(null, []) }), { type: 'noRecipients' })
    t.match(await submit({ emailId, envelope: envelope(null, ['ann@example.org', 'nobody', 'a b@c.d']) }), {
      type: 'invalidRecipients',
      invalidRecipients: ['nobody', 'a b@c.d'],
    })
    t.match(await submit({ emailId: await draft({ to: [{ email: 'broken' }] }) }), {
      type: 'invalidRecipients',
      invalidRecipients: ['broken'],
    })
    const four = ['a@x.org', 'b@x.org', 'c@x.org', 'd@x.org']
    t.match(await submit({ emailId, envelope: envelope(null, four) }), { type: 'tooManyRecipients', maxRecipients: 3 })
    t.ok((await submit({ emailId, envelope: envelope(null, four.slice(1)) })).id)
  })

  t.test('a recipient named twice in the envelope gets it once', async (t) => {
    const made = await submit({
      emailId: await draft(),
      envelope: envelope(null, ['a@x.org', 'A@X.org', 'b@x.org', 'a@x.org']),
    })
    t.same(
      made.envelope.rcptTo.map(({ email }: { email: string }) => email),
      ['a@x.org', 'b@x.org'],
    )
  })

  t.test('no user can send as another (promise S5)', async (t) => {
    const other = (await mailbox('victim')).address
    const forged = async (email: object, more: object = {}) =>
      (await submit({ emailId: await draft(email), ...more })).type
    t.equal(await forged({ from: [{ email: other }] }), 'forbiddenFrom')
    t.equal(await forged({ from: [{ email: 'boss@example.org' }] }), 'forbiddenFrom')
    t.equal(await forged({ sender: [{ email: other }] }), 'forbiddenFrom')
    t.equal(
      await forged({ from: [{ email: hello.address }, { email: other }], sender: [{ email: hello.address }] }),
      'forbiddenFrom',
    )
    t.equal(await forged({ 'header:Resent-From:asAddresses': [{ email: other }] }), 'forbiddenFrom')
    t.equal(await forged({ from: null, 'header:From': ` Me <${hello.address}>, ${other}` }), 'invalidEmail')
    t.equal(await forged({ from: [{ name: hello.address, email: other }] }), 'forbiddenFrom')
    t.equal(await forged({ from: [{ name: other, email: hello.address }] }), 'forbiddenFrom')
    t.equal(
      await forged({ from: [{ name: 'ann@example.org', email: hello.address }] }),
      undefined,
      'control: a name may hold an address of another server',
    )
  })

  t.test('two From fields are refused, whichever comes last (promise S5)', async (t) => {
    const forge = async (fields: string[]) => {
      const raw = `${fields.join('\n')}\nTo: ann@example.org\nDate: ${DATE}\nSubject: Forged\n\nx\n`
      return (await submit({ emailId: await hello.receive(octets(raw)) })).type
    }
    const [own, boss] = [`From: ${hello.address}`, 'From: boss@example.org']
    t.equal(await forge([boss, own]), 'invalidEmail')
    t.equal(await forge([own, boss]), 'invalidEmail')
    t.equal(await forge([own, 'Sender: boss@example.org', `Sender: ${hello.address}`]), 'invalidEmail')
    t.equal(await forge([own]), undefined, 'control')
  })

  t.test('an envelope from another address is forbiddenMailFrom (RFC 8621 7.5)', async (t) => {
    const emailId = await draft()
    const from = (email: string) => ({ ...envelope(), mailFrom: { email, parameters: null } })
    t.match(await submit({ emailId, envelope: from('boss@example.org') }), { type: 'forbiddenMailFrom' })
    t.match(await submit({ emailId, envelope: from('no address') }), { type: 'invalidProperties' })
    t.ok((await submit({ emailId, envelope: from('hello+bounces@example.test') })).id)
  })

  t.test('an email without From, or with several authors and no Sender, is invalidEmail (RFC 8621 7.5)', async (t) => {
    t.match(await submit({ emailId: await draft({ from: null }) }), { type: 'invalidEmail', properties: ['from'] })
    const from = [{ email: hello.address }, { email: 'hello+two@example.test' }]
    t.match(await submit({ emailId: await draft({ from }) }), { type: 'invalidEmail', properties: ['sender'] })
    t.match(await submit({ emailId: await draft({ from }), envelope: envelope() }), {
      type: 'invalidEmail',
      properties: ['sender'],
    })
    t.ok((await submit({ emailId: await draft({ from, sender: [{ email: hello.address }] }) })).id)
  })

  t.test('From must be an address of the named identity (RFC 8621 9.6)', async (t) => {
    const shop = 'hello+shop@example.test'
    const { created } = await hello.call('Identity/set', { create: { i: { email: shop } } })
    const as = async (from: object[], more: object = {}) =>
      (await submit({ identityId: created.i.id, emailId: await draft({ from, ...more }) })).type
    t.equal(await as([{ email: hello.address }]), 'forbiddenFrom')
    t.equal(await as([{ email: shop }]), undefined)
    const both = [{ email: hello.address }, { email: shop }]
    t.equal(await as(both, { sender: [{ email: hello.address }] }), undefined, 'one of several authors is enough')
  })

  t.test('all faults of a message are listed (RFC 8621 7.5)', async (t) => {
    const raw = (lines: readonly string[]) => octets(`${lines.join('\n')}\n\nx\n`)
    const faults = async (lines: readonly string[]) => {
      const emailId = await hello.receive(raw(lines))
      const { type, properties } = await submit({ emailId, envelope: envelope() })
      return type === 'invalidEmail' ? [...properties].sort() : type
    }
    const [from, date] = [`From: ${hello.address}`, `Date: ${DATE}`]
    t.equal(await faults([from, date]), undefined, 'control')
    t.same(await faults([from]), ['sentAt'])
    t.same(await faults([from, 'Date: some day']), ['sentAt'])
    t.same(await faults([from, date, 'To: broken', 'Cc: a@x.org,,@', 'Reply-To:', 'Bcc:']), ['cc', 'replyTo', 'to'])
    t.same(await faults([from, date, 'To: Nobody:;', 'Cc: a@[192.0.2.1]']), undefined)
    t.same(await faults([from, date, 'Subject: a', 'Subject: b', 'Message-ID: none']), ['messageId', 'subject'])
    t.same(await faults([date, date, 'To: a@x.org', 'To: b@x.org']), ['from', 'sentAt', 'to'])
    t.same(await faults([from, date, `X: ${'x'.repeat(1_000)}`]), ['headers'])
  })

  t.test('a message larger than the limit is tooLarge with the size (RFC 8621 7.5)', async (t) => {
    const bodyValues = { t: { value: 'x'.repeat(3_000) } }
    const emailId = await draft({ bodyValues, textBody: [{ partId: 't' }] })
    t.match(await submit({ emailId }), { type: 'tooLarge', maxSize: 3_000 })
  })

  t.test('a suspended mailbox is forbiddenToSend (decision D8)', async (t) => {
    const box = await mailbox('paused')
    const emailId = await draft({}, box)
    await store.write([box.account], async (unit) => {
      await unit.sql.query((db) =>
        db.updateTable('account').set({ suspended_at: unit.now }).where('id', '=', box.account),
      )
    })
    const create = { s: { identityId: await identityOf(box), emailId } }
    const { notCreated } = await box.call('EmailSubmission/set', { create })
    t.match(notCreated.s, { type: 'forbiddenToSend', description: /./ })
  })

  t.test(
    'parameters are stored under their names, and only known ones with valid values are accepted (RFC 8621 7)',
    async (t) => {
      const emailId = await draft()
      const rcptTo = [
        { email: 'ann@example.org', parameters: { notify: 'SUCCESS,FAILURE', ORCPT: 'rfc822;Ann B+C=D@example.org' } },
      ]
      const mailFrom = { email: hello.address, parameters: { RET: 'HDRS', EnvId: 'an id = 1', SMTPUTF8: null } }
      const made = await submit({ emailId, envelope: { mailFrom, rcptTo } })
      t.same(made.envelope, {
        mailFrom: { email: hello.address, parameters: { RET: 'HDRS', ENVID: 'an id = 1', SMTPUTF8: null } },
        rcptTo: [
          {
            email: 'ann@example.org',
            parameters: { NOTIFY: 'SUCCESS,FAILURE', ORCPT: 'rfc822;Ann B+C=D@example.org' },
          },
        ],
      })
      for (const parameters of [
        { NONSENSE: '1' },
        { NOTIFY: 'NEVER' },
        { RET: 'ALL' },
        { RET: null },
        { ENVID: 'x\r\nRCPT TO:<victim@example.org>' },
        { SMTPUTF8: 'yes' },
        { ret: 'FULL', RET: 'HDRS' },
        { __proto__x: null },
      ])
        t.match(
          await submit({ emailId, envelope: envelope(parameters) }),
          { type: 'invalidProperties' },
          JSON.stringify(parameters),
        )
      for (const parameters of [
        { NOTIFY: 'NEVER,SUCCESS' },
        { NOTIFY: 'FAILURE BODY=8BITMIME' },
        { ORCPT: 'no type' },
        { RET: 'FULL' },
      ])
        t.match(await submit({ emailId, envelope: { ...envelope(), rcptTo: [{ email: 'a@x.org', parameters }] } }), {
          type: 'invalidProperties',
          properties: ['envelope'],
        })
    },
  )

  t.test('a held message is pending until its time, which is sendAt (RFC 8621 7)', async (t) => {
    const at = (ms: number) => new Date(ms).toISOString().replace('.000Z', 'Z')
    const forAWhile = await submit({ emailId: await draft(), envelope: envelope(seconds(600)) })
    t.match(forAWhile, { undoStatus: 'pending', sendAt: at(clock.now() + 600_000) })
    const HOLDUNTIL = at(clock.now() + 900_000)
    const until = await submit({ emailId: await draft(), envelope: envelope({ HOLDUNTIL }) })
    t.match(until, { undoStatus: 'pending', sendAt: HOLDUNTIL })
    const past = await submit({ emailId: await draft(), envelope: envelope({ HOLDUNTIL: '2001-01-01T00:00:00Z' }) })
    t.match(past, { undoStatus: 'final', sendAt: at(clock.now()) })
  })

  t.test('a hold that is too long, doubled or malformed is refused (RFC 4865 4)', async (t) => {
    const emailId = await draft()
    const HOLDUNTIL = new Date(clock.now() + 60_000).toISOString()
    for (const parameters of [
      seconds(2_592_001),
      { HOLDFOR: '-1' },
      { HOLDFOR: 'soon' },
      { HOLDFOR: null },
      { HOLDUNTIL: 'tomorrow' },
      { HOLDUNTIL: '2999-01-01T00:00:00Z' },
      { HOLDFOR: '60', HOLDUNTIL },
    ])
      t.match(await submit({ emailId, envelope: envelope(parameters) }), {
        type: 'invalidProperties',
        properties: ['envelope'],
      })
  })

  t.test('a pending submission can be canceled, and is then never sent (RFC 8621 7.5)', async (t) => {
    const { id } = await submit({ emailId: await draft(), envelope: envelope(seconds(60)) })
    const { state } = await hello.call('EmailSubmission/get', { ids: [] })
    const cancel = { update: { [id]: { undoStatus: 'canceled' } } }
    t.same((await hello.call('EmailSubmission/set', cancel)).updated, { [id]: null })
    t.equal((await read(id)).undoStatus, 'canceled')
    t.same((await hello.call('EmailSubmission/changes', { sinceState: state })).updated, [id])
    t.same((await hello.call('EmailSubmission/set', cancel)).updated, { [id]: null }, 'again it is no change')
  })

  t.test('a query for undoStatus agrees with /get at every step (pitfall 24)', async (t) => {
    const box = await mailbox('agreeing')
    const own = await identityOf(box)
    const held = async (delay: number) => {
      const mailFrom = { email: box.address, parameters: { HOLDFOR: String(delay) } }
      const s = {
        identityId: own,
        emailId: await draft({}, box),
        envelope: { mailFrom, rcptTo: [{ email: 'a@x.org' }] },
      }
      return (await box.call('EmailSubmission/set', { create: { s } })).created.s.id as string
    }
    const [first, second] = [await held(100_000), await held(200_000)]
    const agree = async () => {
      const { list } = await box.call('EmailSubmission/get', { ids: null })
      for (const undoStatus of ['pending', 'final', 'canceled']) {
        const shown = list.filter((one: Result) => one.undoStatus === undoStatus).map(({ id }: Result) => id)
        const { ids } = await box.call('EmailSubmission/query', { filter: { undoStatus } })
        t.same([...ids].sort(), shown.sort(), undoStatus)
      }
      return Object.fromEntries(list.map((one: Result) => [one.id, one.undoStatus]))
    }
    t.same(await agree(), { [first]: 'pending', [second]: 'pending' })
    const filter = { undoStatus: 'pending' }
    const { queryState } = await box.call('EmailSubmission/query', { filter })
    const { state } = await box.call('EmailSubmission/get', { ids: [] })
    await box.call('EmailSubmission/set', { update: { [second]: { undoStatus: 'canceled' } } })
    clock.advance(100_000_000)
    const claimed = await core.claimSubmissions('worker', 1_000, 60_000)
    t.ok(claimed.some(({ submissionId }) => submissionId === first))
    t.same(await agree(), { [first]: 'final', [second]: 'canceled' })
    const changes = await box.call('EmailSubmission/changes', { sinceState: state })
    t.same([...changes.updated].sort(), [first, second].sort())
    const moved = await box.call('EmailSubmission/queryChanges', { filter, sinceQueryState: queryState })
    t.same([...moved.removed].sort(), [first, second].sort())
    t.same(moved.added, [])
    for (const one of claimed) {
      const outcomes = one.recipients.map(({ address }) => {
        return { address, status: 'sent', smtpReply: '250 2.0.0 ok', host: 'mx.x.org' } as const
      })
      await core.reportAttempts([{ ...one, outcomes, retryAt: null }])
    }
    t.same(await agree(), { [first]: 'final', [second]: 'canceled' })
  })

  t.test('the account advertises the longest hold and the extensions (RFC 8621 1.3.2)', async (t) => {
    const session = (await core.session(hello.principal, 'https://mail.example.test')) as Result
    t.same(session.capabilities['urn:ietf:params:jmap:submission'], {})
    const capability = session.accounts[hello.accountId].accountCapabilities['urn:ietf:params:jmap:submission']
    matchWhole(t, capability.submissionExtensions, { FUTURERELEASE: [], SIZE: ['3000'], DSN: [] })
    const hold = (delay: number) => ({ ...envelope(seconds(delay)) })
    const emailId = await draft()
    t.ok((await submit({ emailId, envelope: hold(capability.maxDelayedSend) })).id)
    t.equal((await submit({ emailId, envelope: hold(capability.maxDelayedSend + 1) })).type, 'invalidProperties')
  })

  t.test('a final submission is cannotUnsend, and undoStatus accepts no other value (RFC 8621 7.5)', async (t) => {
    const { id } = await submit({ emailId: await draft() })
    const update = async (undoStatus: unknown, one = id) =>
      (await hello.call('EmailSubmission/set', { update: { [one]: { undoStatus } as JsonObject } })).notUpdated[one]
    t.match(await update('canceled'), { type: 'cannotUnsend' })
    t.match(await update('pending'), { type: 'invalidProperties', properties: ['undoStatus'] })
    t.match(await update('nonsense'), { type: 'invalidProperties', properties: ['undoStatus'] })
    const held = await submit({ emailId: await draft(), envelope: envelope(seconds(60)) })
    t.match(await update('final', held.id), { type: 'invalidProperties' })
    t.match(
      (await hello.call('EmailSubmission/set', { update: { [held.id]: { emailId: 'x' } } })).notUpdated[held.id],
      {
        type: 'invalidProperties',
        properties: ['emailId'],
      },
    )
  })

  t.test('a submission with open recipients cannot be destroyed; a finished one can (RFC 8621 7.5)', async (t) => {
    const { id } = await submit({ emailId: await draft(), envelope: envelope(seconds(60)) })
    t.match((await hello.call('EmailSubmission/set', { destroy: [id] })).notDestroyed[id], { type: 'forbidden' })
    await hello.call('EmailSubmission/set', { update: { [id]: { undoStatus: 'canceled' } } })
    t.same((await hello.call('EmailSubmission/set', { destroy: [id] })).destroyed, [id])
    t.equal(await read(id), undefined)
  })

  t.test('destroying the email does not change its submission (RFC 8621 7.5)', async (t) => {
    const emailId = await draft()
    const { id, threadId } = await submit({ emailId, envelope: envelope(seconds(60)) })
    await hello.call('Email/set', { destroy: [emailId] })
    t.match(await read(id), { emailId, threadId, undoStatus: 'pending' })
  })

  t.test('filters and sorts (RFC 8621 7.3)', async (t) => {
    const box = await mailbox('queries')
    const own = await identityOf(box)
    const { created } = await box.call('Identity/set', { create: { i: { email: box.address } } })
    const send = async (identity: string, delay: number) => {
      const emailId = await draft({}, box)
      const mailFrom = { email: box.address, parameters: { HOLDFOR: String(delay) } }
      const s = { identityId: identity, emailId, envelope: { mailFrom, rcptTo: [{ email: 'a@x.org' }] } }
      const made = (await box.call('EmailSubmission/set', { create: { s } })).created.s
      return { id: made.id as string, emailId, threadId: made.threadId as string, sendAt: made.sendAt as string }
    }
    const [a, b, c] = [await send(own, 300), await send(created.i.id, 100), await send(own, 200)]
    await box.call('EmailSubmission/set', { update: { [c.id]: { undoStatus: 'canceled' } } })
    const ids = async (args: object) => (await box.call('EmailSubmission/query', { ...args })).ids
    t.same((await ids({ filter: { identityIds: [own] } })).sort(), [a.id, c.id].sort())
    t.same(await ids({ filter: { emailIds: [b.emailId, 'x'] } }), [b.id])
    t.same(await ids({ filter: { threadIds: [c.threadId] } }), [c.id])
    t.same(await ids({ filter: { undoStatus: 'canceled' } }), [c.id])
    t.same((await ids({ filter: { undoStatus: 'pending' } })).sort(), [a.id, b.id].sort())
    t.same(await ids({ filter: { before: c.sendAt } }), [b.id])
    t.same((await ids({ filter: { after: c.sendAt } })).sort(), [a.id, c.id].sort())
    t.same(await ids({ sort: [{ property: 'sentAt' }] }), [b.id, c.id, a.id])
    t.same(await ids({ sort: [{ property: 'emailId', isAscending: false }] }), [c.id, b.id, a.id])
    t.same(await ids({ filter: { identityIds: [] } }), [])
    t.match(await box.call('EmailSubmission/query', { sort: [{ property: 'subject' }] }), { type: 'unsupportedSort' })
  })

  t.test(
    'onSuccessUpdateEmail changes the email of a created submission, after it, under its call id (RFC 8621 7.5)',
    async (t) => {
      const emailId = await draft()
      const patch = { 'keywords/$draft': null, mailboxIds: { [hello.roles['sent']!]: true } }
      const args = {
        accountId: hello.accountId,
        create: { s: { identityId, emailId } },
        onSuccessUpdateEmail: { '#s': patch },
      }
      const answers = await request([['EmailSubmission/set', args]], hello.principal)
      t.match(answers, [
        ['EmailSubmission/set', { created: { s: {} } }, '0'],
        ['Email/set', { accountId: hello.accountId, updated: { [emailId]: null } }, '0'],
      ])
      const [email] = (await hello.call('Email/get', { ids: [emailId], properties: ['keywords', 'mailboxIds'] })).list
      t.same(email, { id: emailId, keywords: { $seen: true }, mailboxIds: { [hello.roles['sent']!]: true } })
    },
  )

  t.test('onSuccessDestroyEmail destroys the email (RFC 8621 7.5)', async (t) => {
    const emailId = await draft()
    const create = { s: { identityId, emailId } }
    const args = { accountId: hello.accountId, create, onSuccessDestroyEmail: ['#s'] }
    const answers = await request([['EmailSubmission/set', args]], hello.principal)
    t.match(answers[1], ['Email/set', { destroyed: [emailId] }, '0'])
    t.same((await hello.call('Email/get', { ids: [emailId] })).notFound, [emailId])
  })

  t.test(
    'the email of a refused submission stays unchanged, but the implicit call has a response (pitfall 24)',
    async (t) => {
      const emailId = await draft({ to: null })
      const create = { s: { identityId, emailId } }
      const args = {
        accountId: hello.accountId,
        create,
        onSuccessUpdateEmail: { '#s': { 'keywords/$draft': null }, [emailId]: { 'keywords/x': true }, nonsense: {} },
        onSuccessDestroyEmail: ['#s', '#other', emailId],
      }
      const answers = await request([['EmailSubmission/set', args]], hello.principal)
      t.match(answers[0]![1], { created: null, notCreated: { s: { type: 'noRecipients' } } })
      t.match(answers[1], ['Email/set', { updated: null, destroyed: null, notUpdated: null, notDestroyed: null }, '0'])
      t.equal(answers.length, 2)
      const [email] = (await hello.call('Email/get', { ids: [emailId], properties: ['keywords'] })).list
      t.same(email.keywords, { $draft: true, $seen: true })
    },
  )

  t.test('updates and destroys of submissions can also change their emails (RFC 8621 7.5)', async (t) => {
    const emailId = await draft()
    const { id } = await submit({ emailId, envelope: envelope(seconds(60)) })
    const accountId = hello.accountId
    const cancel = {
      accountId,
      update: { [id]: { undoStatus: 'canceled' } },
      onSuccessUpdateEmail: { [id]: { 'keywords/canceled': true } },
    }
    const answers = await request([['EmailSubmission/set', cancel]], hello.principal)
    t.match(answers[1], ['Email/set', { updated: { [emailId]: null } }, '0'])
    const destroy = { accountId, destroy: [id], onSuccessDestroyEmail: [id] }
    const after = await request([['EmailSubmission/set', destroy]], hello.principal)
    t.match(after[0]![1], { destroyed: [id] })
    t.match(after[1], ['Email/set', { destroyed: [emailId] }, '0'])
  })

  t.test('without these arguments there is no implicit call', async (t) => {
    const create = { s: { identityId, emailId: await draft() } }
    const answers = await request([['EmailSubmission/set', { accountId: hello.accountId, create }]], hello.principal)
    t.equal(answers.length, 1)
  })

  t.test('a draft is created and sent in one request (RFC 8621 7.5.1)', async (t) => {
    const accountId = hello.accountId
    const email = {
      mailboxIds: { [hello.roles['drafts']!]: true },
      keywords: { $draft: true },
      from: [{ email: hello.address }],
      to: [{ email: 'ann@example.org' }],
    }
    const calls: [string, JsonObject][] = [
      ['Email/set', { accountId, create: { k1: email } }],
      [
        'EmailSubmission/set',
        {
          accountId,
          create: { k2: { identityId, emailId: '#k1' } },
          onSuccessUpdateEmail: { '#k2': { 'keywords/$draft': null } },
        },
      ],
      ['Email/get', { accountId, ids: ['#k1'], properties: ['keywords'] }],
    ]
    const answers = await request(calls, hello.principal)
    t.same(
      answers.map(([name, , id]: Invocation) => [name, id]),
      [
        ['Email/set', '0'],
        ['EmailSubmission/set', '1'],
        ['Email/set', '1'],
        ['Email/get', '2'],
      ],
    )
    t.same((answers[3]![1] as Result).list[0].keywords, {})
  })

  t.test('the state of submissions is that of /changes (pitfall 10)', async (t) => {
    const { state } = await hello.call('EmailSubmission/get', { ids: [] })
    const { id } = await submit({ emailId: await draft() })
    const changes = await hello.call('EmailSubmission/changes', { sinceState: state })
    t.same([changes.created, changes.oldState], [[id], state])
  })

  t.test('an email shows its delivery status on request (decision D13)', async (t) => {
    const emailId = await draft()
    const look = async () =>
      (await hello.call('Email/get', { ids: [emailId], properties: ['deliveryStatus', 'recipients'] })).list[0]
    matchWhole(t, await look(), { deliveryStatus: 'draft', recipients: [] })
    const { id } = await submit({ emailId, envelope: envelope(seconds(60)) })
    t.match(await look(), {
      deliveryStatus: 'scheduled',
      recipients: [{ address: 'ann@example.org', status: 'queued', smtpReply: null }],
    })
    await hello.call('EmailSubmission/set', { update: { [id]: { undoStatus: 'canceled' } } })
    t.match(await look(), { deliveryStatus: 'cancelled', recipients: [{ status: 'cancelled' }] })
  })

  t.test('submissions of another account are not found', async (t) => {
    const other = await mailbox('apart')
    const { id } = await submit({ emailId: await draft() })
    t.same((await other.call('EmailSubmission/get', { ids: [id] })).notFound, [id])
    t.match(
      (await other.call('EmailSubmission/set', { update: { [id]: { undoStatus: 'canceled' } } })).notUpdated[id],
      {
        type: 'notFound',
      },
    )
  })
})

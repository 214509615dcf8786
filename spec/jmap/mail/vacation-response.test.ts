import t from 'tap'
import { vacationResponseOf } from '../../../jmap/mail/vacation/auto-reply.ts'
import { VACATION_BODY_MAX_CHARS } from '../../../server/base/limits.ts'
import { startCore } from '../../support/core.ts'
import { forEachEngine } from '../../support/engines.ts'
import { mail, octets } from '../mails.ts'

const NEVER_SET = {
  id: 'singleton',
  isEnabled: false,
  fromDate: null,
  toDate: null,
  subject: null,
  textBody: null,
  htmlBody: null,
}

const AWAY = {
  isEnabled: true,
  fromDate: '2026-12-24T00:00:00Z',
  toDate: '2027-01-02T00:00:00Z',
  subject: 'Away',
  textBody: 'Back in January.',
  htmlBody: '<p>Back in January.</p>',
}

await forEachEngine(t, async (t, engine) => {
  const { core, store, mailbox, key, request } = await startCore(t, engine)

  t.test('an account that never wrote one has one, with the id singleton (RFC 8621 8.1)', async (t) => {
    const hello = await mailbox('unwritten')
    for (const ids of [null, ['singleton']]) {
      const answer = await hello.call('VacationResponse/get', { ids })
      t.same(answer.list, [NEVER_SET])
      t.same(answer.notFound, [])
    }
    const { list, notFound } = await hello.call('VacationResponse/get', { ids: ['other', hello.accountId, '0'] })
    t.same(list, [])
    t.same(notFound, ['other', hello.accountId, '0'])
  })

  t.test('written values are returned, with a new state (RFC 8621 8.2)', async (t) => {
    const hello = await mailbox('away')
    const before = await hello.call('VacationResponse/get', { ids: null })
    const set = await hello.call('VacationResponse/set', { update: { singleton: AWAY } })
    t.same(set.updated, { singleton: null })
    t.equal(set.oldState, before.state)
    const after = await hello.call('VacationResponse/get', { ids: null })
    t.same(after.list, [{ id: 'singleton', ...AWAY }])
    t.equal(after.state, set.newState)
    t.not(after.state, before.state)
  })

  t.test('one property changes and the others stay, including isEnabled', async (t) => {
    const hello = await mailbox('edits')
    await hello.call('VacationResponse/set', { update: { singleton: AWAY } })
    for (const patch of [{ subject: 'Gone' }, { textBody: 'Until spring.' }, { htmlBody: null }, { toDate: null }]) {
      t.same((await hello.call('VacationResponse/set', { update: { singleton: patch } })).updated, { singleton: null })
    }
    const { list } = await hello.call('VacationResponse/get', { ids: null })
    t.same(list, [
      { id: 'singleton', ...AWAY, subject: 'Gone', textBody: 'Until spring.', htmlBody: null, toDate: null },
    ])
    await hello.call('VacationResponse/set', { update: { singleton: { isEnabled: false } } })
    t.match((await hello.call('VacationResponse/get', { ids: null })).list, [{ isEnabled: false, subject: 'Gone' }])
  })

  t.test('an update without a change leaves the state', async (t) => {
    const hello = await mailbox('same')
    await hello.call('VacationResponse/set', { update: { singleton: AWAY } })
    const again = await hello.call('VacationResponse/set', { update: { singleton: { id: 'singleton', ...AWAY } } })
    t.same(again.updated, { singleton: null })
    t.equal(again.newState, again.oldState)
  })

  t.test('a second one cannot be created, with any values (RFC 8620 5.3: singleton)', async (t) => {
    const hello = await mailbox('creates')
    const { created, notCreated } = await hello.call('VacationResponse/set', {
      create: { a: AWAY, b: {}, c: { unknown: 1 } },
    })
    t.equal(created, null)
    t.same(
      Object.values(notCreated as Record<string, { type: string }>).map(({ type }) => type),
      ['singleton', 'singleton', 'singleton'],
    )
    t.same((await hello.call('VacationResponse/get', { ids: null })).list, [NEVER_SET])
  })

  t.test('it cannot be destroyed (RFC 8620 5.3: singleton); others are notFound', async (t) => {
    const hello = await mailbox('destroys')
    const { destroyed, notDestroyed } = await hello.call('VacationResponse/set', { destroy: ['singleton', 'other'] })
    t.equal(destroyed, null)
    t.match(notDestroyed, { singleton: { type: 'singleton' }, other: { type: 'notFound' } })
    const { notUpdated } = await hello.call('VacationResponse/set', { update: { other: AWAY } })
    t.match(notUpdated, { other: { type: 'notFound' } })
  })

  t.test('values of a wrong type are refused by name, and nothing changes', async (t) => {
    const hello = await mailbox('wrong')
    for (const [name, value] of [
      ['isEnabled', 'yes'],
      ['isEnabled', null],
      ['fromDate', '2026-12-24'],
      ['toDate', '2026-12-24T00:00:00+01:00'],
      ['subject', 7],
      ['textBody', 'x'.repeat(VACATION_BODY_MAX_CHARS + 1)],
      ['id', 'other'],
      ['replies', 1],
    ] as const) {
      const { notUpdated } = await hello.call('VacationResponse/set', { update: { singleton: { [name]: value } } })
      if (name === 'isEnabled' && value === null) t.equal(notUpdated, null, 'null is the default, which is false')
      else t.match(notUpdated, { singleton: { type: 'invalidProperties', properties: [name] } }, name)
    }
    t.same((await hello.call('VacationResponse/get', { ids: null })).list, [NEVER_SET])
    const longest = { textBody: 'x'.repeat(VACATION_BODY_MAX_CHARS) }
    t.ok((await hello.call('VacationResponse/set', { update: { singleton: longest } })).updated)
  })

  t.test('ifInState of an older state refuses the call', async (t) => {
    const hello = await mailbox('states')
    const { state } = await hello.call('VacationResponse/get', { ids: null })
    t.ok((await hello.call('VacationResponse/set', { ifInState: state, update: { singleton: AWAY } })).updated)
    const late = await hello.call('VacationResponse/set', { ifInState: state, update: { singleton: { subject: 'x' } } })
    t.equal(late.type, 'stateMismatch')
  })

  t.test('each account has its own, and others cannot read it', async (t) => {
    const [mine, theirs] = [await mailbox('mine'), await mailbox('theirs')]
    await mine.call('VacationResponse/set', { update: { singleton: AWAY } })
    t.same((await theirs.call('VacationResponse/get', { ids: null })).list, [NEVER_SET])
    const [answer] = await request([['VacationResponse/get', { accountId: mine.accountId }]], theirs.principal)
    t.match(answer, ['error', { type: 'accountNotFound' }])
  })

  t.test('a key needs the scope for mailboxes', async (t) => {
    const hello = await mailbox('scopes')
    const { principal } = await key({ scopes: ['mailboxes:read'] })
    const { accountId } = hello
    const [get, set] = await request(
      [
        ['VacationResponse/get', { accountId }],
        ['VacationResponse/set', { accountId, update: { singleton: AWAY } }],
      ],
      principal,
    )
    t.equal(get![0], 'VacationResponse/get')
    t.equal(set![0], 'error')
  })

  t.test('a message gets a reply while the record is enabled, and not after (RFC 8621 8)', async (t) => {
    const hello = await mailbox('answers')
    const answers = async (from: string, isEnabled: boolean) => {
      await hello.call('VacationResponse/set', { update: { singleton: { isEnabled, textBody: 'Away.' } } })
      const before = (await hello.call('EmailSubmission/query', {})).ids.length
      const recipients = [{ account: hello.account, address: hello.address }]
      const bytes = octets(mail({ from, to: hello.address }))
      await core.ingest([{ bytes, recipients, receivedAt: 0, mailFrom: from }])
      return (await hello.call('EmailSubmission/query', {})).ids.length - before
    }
    t.equal(await answers('bob@example.org', true), 1)
    t.equal(await answers('eve@example.org', false), 0)
  })

  t.test('delivery reads the record', async (t) => {
    const hello = await mailbox('read')
    const read = () => store.read((reader) => vacationResponseOf(reader, hello.account))
    const { id: _id, ...never } = NEVER_SET
    t.same(await read(), never)
    await hello.call('VacationResponse/set', { update: { singleton: AWAY } })
    t.same(await read(), AWAY)
  })

  t.test('the session has the capability for the accounts that have it (RFC 8621 1.3)', async (t) => {
    const hello = await mailbox('session')
    const session = (await core.session(hello.principal, 'https://mail.example.test')) as {
      capabilities: Record<string, unknown>
      accounts: Record<string, { accountCapabilities: Record<string, unknown> }>
      primaryAccounts: Record<string, string>
    }
    const name = 'urn:ietf:params:jmap:vacationresponse'
    t.same(session.capabilities[name], {})
    t.same(session.accounts[hello.accountId]!.accountCapabilities[name], {})
    t.equal(session.primaryAccounts[name], hello.accountId)
  })
})

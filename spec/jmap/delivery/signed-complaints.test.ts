// Complaints without a return address of this server: its signature over the returned header proves which message is meant.
import t from 'tap'
import { toWireMessage } from '../../../mta/outbound/wire-message.ts'
import { eventsOf } from '../../../storage/repos/events.ts'
import { talliesSince } from '../../../storage/repos/sending-tally.ts'
import { type Result, startCore, type TestMailbox, type TestOrganization } from '../../support/core.ts'
import { forEachEngine } from '../../support/engines.ts'
import { hearEvents } from '../../support/hear-events.ts'
import { feedbackReport } from '../mail/reports/returned-mails.ts'

const HOUR = 3_600_000

const arf = (original: string, type?: string, named?: string) =>
  feedbackReport('abuse', named === undefined ? [] : [`Original-Rcpt-To: <${named}>`], original, type)

await forEachEngine(t, async (t, engine) => {
  const { core, store, clock, organizationWith, request } = await startCore(t, engine)
  let made = 0

  const sender = async () => {
    const organization = await organizationWith(`signer${++made}.test`)
    await hearEvents({ request, organization })
    const [hello, abuse] = [await organization.mailbox('hello'), await organization.mailbox('abuse')]
    return { organization, hello, abuse, seen: () => seen(organization) }
  }
  /** Sends a message. @returns its octets as the next server got them */
  const send = async (hello: TestMailbox, ...to: string[]) => {
    const identityId = (await hello.call('Identity/get', { ids: null })).list[0].id as string
    const bodyValues = { t: { value: 'Hello there' } }
    const email = {
      mailboxIds: { [hello.roles['sent']!]: true },
      from: [{ email: hello.address }],
      to: to.map((email) => ({ email })),
      subject: 'Hi',
      textBody: [{ partId: 't', type: 'text/plain' }],
      bodyValues,
    }
    const emailId = (await hello.call('Email/set', { create: { e: email } })).created.e.id as string
    await hello.call('EmailSubmission/set', { create: { s: { identityId, emailId } } })
    let wire = ''
    const accepted = { status: 'sent', smtpReply: '250 2.0.0 ok', host: 'mx.example.org' } as const
    for (const queued of await core.claimSubmissions('worker', 10, HOUR)) {
      wire = (await toWireMessage(queued, clock.now())).pieces.join('')
      const { account, submission, lease, recipients } = queued
      const outcomes = recipients.map(({ address }) => ({ address, ...accepted }))
      await core.reportAttempts([{ account, submission, lease, outcomes, retryAt: null }])
    }
    return wire.replaceAll('\r\n', '\n')
  }
  const headerOf = (wire: string) => wire.slice(0, wire.indexOf('\n\n') + 1)
  const seen = async ({ account, accountId }: TestOrganization) => {
    const { events, tallies } = await store.read(async (reader) => ({
      events: await eventsOf(reader, account),
      tallies: await talliesSince(reader, 0, account),
    }))
    const [answer] = await request([['Suppression/get', { accountId, ids: null }]])
    return {
      complained: events.filter(({ type }) => type === 'message.complained').map(({ data }) => data['to']),
      counted: tallies.get(account)?.complaints ?? 0,
      suppressed: (answer as Result)[1].list.map(({ email }: Result) => email),
    }
  }

  t.test(
    'a report to another mailbox of the organization is attributed by the DKIM signature, and counts once',
    async (t) => {
      const { hello, abuse, seen } = await sender()
      const wire = await send(hello, 'ann@example.org')
      t.match(wire, /^DKIM-Signature:/, 'control: it is signed')
      for (let i = 0; i < 3; i++) await abuse.receive(arf(wire))
      t.same(await seen(), { complained: ['ann@example.org'], counted: 1, suppressed: ['ann@example.org'] })
    },
  )

  t.test('a returned header is sufficient, even with a changed body', async (t) => {
    const { hello, abuse, seen } = await sender()
    await abuse.receive(arf(headerOf(await send(hello, 'ann@example.org')), 'text/rfc822-headers'))
    await abuse.receive(arf((await send(hello, 'bob@example.org')).replace('Hello there', '[removed]')))
    t.same((await seen()).complained, ['ann@example.org', 'bob@example.org'])
  })

  t.test('an invalid signature attributes nothing to another mailbox', async (t) => {
    const { hello, abuse, seen } = await sender()
    const wire = await send(hello, 'ann@example.org')
    const without = wire.slice(wire.indexOf('\nFrom:') + 1)
    const other = `Message-ID: <other@x>\n${wire}`
    for (const forged of [
      without,
      wire.replace('Subject: Hi', 'Subject: Ho'),
      other,
      wire.replaceAll(/ d=[^;]+;/g, ' d=x.test;'),
    ])
      await abuse.receive(arf(forged))
    t.same(await seen(), { complained: [], counted: 0, suppressed: [] })
    await abuse.receive(arf(wire))
    t.same((await seen()).counted, 1, 'control')
  })

  t.test('a report that another organization receives does not count for mail of this one', async (t) => {
    const [one, two] = [await sender(), await sender()]
    const wire = await send(one.hello, 'ann@example.org')
    await two.abuse.receive(arf(wire))
    t.same([(await one.seen()).complained, (await two.seen()).complained], [[], []])
  })

  t.test(
    'a complaint about a message to several recipients is stored for the named one, and does not count',
    async (t) => {
      const { hello, abuse, seen } = await sender()
      const wire = await send(hello, 'ann@example.org', 'bob@example.org')
      await abuse.receive(arf(wire, 'message/rfc822', 'bob@example.org'))
      t.same(await seen(), { complained: ['bob@example.org'], counted: 0, suppressed: [] })
      await abuse.receive(arf(wire, 'message/rfc822', 'eve@example.org'))
      t.same((await seen()).complained, ['bob@example.org'])
    },
  )
})

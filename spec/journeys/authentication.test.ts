// A server that checks senders, from the settings to the results that clients and users see.
import t from 'tap'
import { jmapCalls, restClient } from '../support/clients.ts'
import { serve } from '../support/command-line.ts'
import { startDnsServer } from '../support/dns-server.ts'
import { temporaryFolder } from '../support/posthouse.ts'
import { SmtpClient } from '../support/smtp-client.ts'

t.test('mail is authenticated, put aside, refused, or let in as the operator says', async (t) => {
  const { server } = await startDnsServer(t, {
    'true.test': { txt: [['v=spf1 ip4:127.0.0.1 -all']] },
    '_dmarc.true.test': { txt: [['v=DMARC1; p=reject']] },
    '_dmarc.careful.test': { txt: [['v=DMARC1; p=quarantine']] },
    '_dmarc.strict.test': { txt: [['v=DMARC1; p=reject']] },
    '_dmarc.list.test': { txt: [['v=DMARC1; p=reject']] },
    '1.0.0.127.lists.test': { a: ['127.0.0.2'] },
  })
  const settings = [
    `--dns=${server}`,
    '--sender-checks=on',
    '--dmarc-overrides=list.test=none',
    '--dns-lists=lists.test',
  ]
  const { ready } = await serve(t, temporaryFolder(t), settings)
  const client = await SmtpClient.connect(ready.smtp.port)
  await client.command('EHLO mx.test')
  const send = (domain: string) => {
    const from = `From: a@${domain}\r\nTo: ${ready.mailbox.address}\r\nSubject: ${domain}\r\n`
    const rest = `Date: ${new Date().toUTCString()}\r\nMessage-ID: <1@${domain}>\r\n\r\nGood morning, the letter is on its way.`
    return client.send(`a@${domain}`, [ready.mailbox.address], from + rest)
  }
  t.match(await send('strict.test'), '550 5.7.26')
  for (const domain of ['true.test', 'careful.test', 'list.test']) t.match(await send(domain), '250')
  client.end()

  const accountId = ready.mailbox.id
  const properties = ['subject', 'mailboxIds', 'authentication', 'spamVerdict', 'header:Authentication-Results:asText']
  const ids = { resultOf: '1', name: 'Email/query', path: '/ids' }
  const [junkFolders, , { list }] = await jmapCalls(ready, [
    ['Mailbox/query', { accountId, filter: { role: 'junk' } }],
    ['Email/query', { accountId, sort: [{ property: 'subject' }] }],
    ['Email/get', { accountId, '#ids': ids, properties }],
  ])
  const [junk] = junkFolders.ids
  t.same(
    list.map((email: { subject: string; mailboxIds: object }) => [email.subject, junk in email.mailboxIds]),
    [
      ['careful.test', true],
      ['list.test', false],
      ['true.test', false],
    ],
  )
  const [careful, listed, honest] = list
  t.match(careful.authentication, { spf: { result: 'none' }, dmarc: { result: 'fail', disposition: 'quarantine' } })
  t.match(listed.authentication.dmarc, { result: 'fail', policy: 'reject', disposition: 'none' })
  t.match(honest.authentication, {
    spf: { result: 'pass', domain: 'true.test' },
    dmarc: { result: 'pass', domain: 'true.test' },
  })
  t.match(honest['header:Authentication-Results:asText'], /^mail\.example\.test; iprev=.*dmarc=pass/)
  const symbols = honest.spamVerdict.symbols.map(({ name }: { name: string }) => name)
  t.ok(symbols.includes('DMARC_PASS') && symbols.includes('DNS_LISTED'), symbols.join())
  const path = { mailbox_id: accountId }
  const { data } = await restClient(ready).get('/v1/mailboxes/{mailbox_id}/inbox/messages', { path })
  t.match(data.find(({ subject }) => subject === 'true.test')?.authentication, { spf: { result: 'pass' } })
})

/**
 * A newsletter by REST alone, against the program's own server with a clock that the test moves: from the audience to what becomes of each
 * recipient. The next mail server is on loopback; it refuses one address, returns one message and complains about another. Recipients leave
 * as Gmail lets them (RFC 8058).
 */
import assert from 'node:assert'
import { dkimVerify } from 'mailauth/lib/dkim/verify.js'
import { type AddressObject, simpleParser } from 'mailparser'
import t from 'tap'
import { dsn, feedbackReport } from '../jmap/mail/reports/returned-mails.ts'
import { restClient } from '../support/clients.ts'
import { startClocked } from '../support/clocked-server.ts'
import { delegation } from '../support/domain-zone.ts'
import { noise, png } from '../support/png.ts'
import { SmtpClient } from '../support/smtp-client.ts'
import { startPeer } from '../support/smtp-peer.ts'
import { startZoneServer } from '../support/zone-server.ts'

const DOMAIN = 'journey-news.org'
const UNKNOWN = 'unknown@readers.test'
const [ANN, BOB, CID, DAN] = ['ann@readers.test', 'bob@readers.test', 'cid@readers.test', 'dan@readers.test'] as const
const MINUTE = 60_000

t.test('a newsletter by REST alone, from the audience to what becomes of each recipient', async (t) => {
  const sink = await startPeer(t, {
    reply: (line) => (line.startsWith(`RCPT TO:<${UNKNOWN}>`) ? '550 5.1.1 No such user' : null),
  })
  const zone = await startZoneServer(t, [DOMAIN], delegation(DOMAIN))
  const dns = { dns: `127.0.0.1:${zone.port}`, dns_authority_port: String(zone.port) }
  const { ready, clock, later } = await startClocked(t, { outbound: `smtp://127.0.0.1:${sink.port}`, ...dns })
  const api = restClient(ready)
  const pathOf = (newsletter_id: string) => ({ path: { newsletter_id } })
  const show = (id: string) => api.get('/v1/newsletters/{newsletter_id}', pathOf(id))
  const failing = async (id: string) => {
    const { items, ready: isReady } = await api.post('/v1/newsletters/{newsletter_id}/preflight', pathOf(id))
    const failed = items.filter(({ status }) => status === 'fail')
    for (const { message } of failed) assert.match(message, /Set |Send |Add /, 'it says what to do')
    assert.equal(isReady, failed.length === 0)
    return failed.map(({ key, field }) => [key, field])
  }
  /** Messages that the sink has got since the last call, by recipient. */
  let seen = 0
  const arrived = async () => {
    const copies = new Map<string, Copy>()
    for (const { mail, rcpt, data } of sink.messages.slice(seen)) {
      const [, to = ''] = /<([^>]*)>/.exec(rcpt.join()) ?? []
      assert(!copies.has(to), `${to} got it twice`)
      copies.set(to, await readCopy(mail, data))
    }
    seen = sink.messages.length
    return copies
  }
  const send = async (id: string) => {
    const scheduled_at = new Date(clock.now() + MINUTE).toISOString()
    const shown = await api.post('/v1/newsletters/{newsletter_id}/schedule', { ...pathOf(id), body: { scheduled_at } })
    assert.equal(shown.status, 'scheduled')
    clock.advance(MINUTE)
    return later(async () => {
      const now = await show(id)
      assert.equal(now.status, 'sent')
      return { ...now, copies: await arrived() }
    })
  }
  const audience = await api.post('/v1/audiences', { body: { name: 'Garden news', consent_source: 'Checkbox' } })
  const members = { path: { audience_id: audience.id } }
  const statuses = async () => {
    const all = await Array.fromAsync(api.list('/v1/audiences/{audience_id}/subscribers', members))
    return Object.fromEntries(all.map(({ email_address, status }) => [email_address.split('@')[0], status]))
  }
  const deliver = async (to: string, text: string) => {
    const client = await SmtpClient.connect(ready.smtp.port)
    await client.command('EHLO mx.readers.test')
    const octets = text.replaceAll(/\r?\n/g, '\r\n').replaceAll(/^\./gm, '..')
    assert.match(await client.send('', [to], octets), /^250/)
    client.end()
  }

  const { id: domain_id } = await api.post('/v1/domains', { body: { name: DOMAIN } })
  const query = { include: 'recommended' } as const
  const { records } = await api.get('/v1/domains/{domain_id}/dns-records', { path: { domain_id }, query })
  for (const { host, type, value, priority } of records)
    zone.records[`${host} ${type}`] = [priority === undefined ? value! : `${priority} ${value}`]
  await api.post('/v1/domains/{domain_id}/verification', { path: { domain_id } })
  const office = await api.post('/v1/mailboxes', { body: { domain_id, address: 'office' } })
  const mailbox = { path: { mailbox_id: office.id } }
  await api.patch('/v1/mailboxes/{mailbox_id}/password', { ...mailbox, body: { password: 'Correct-horse-7' } })

  const rows = [ANN, BOB, CID, DAN, UNKNOWN].map((email_address) => ({
    email_address,
    merge_fields: { first_name: email_address[0]!.toUpperCase() },
  }))
  const added = await api.post('/v1/audiences/{audience_id}/subscribers/batch', {
    ...members,
    body: { subscribers: [...rows, { email_address: 'info@readers.test' }] },
  })
  t.same(
    added.results.map(({ outcome }) => outcome),
    [...rows.map(() => 'created'), 'skipped_invalid'],
  )

  const picture = png({ width: 600, height: 200, paint: noise() })
  const asset = await upload(`${ready.http}/api/v1/newsletter-assets?filename=garden.png`, ready.api_key, picture)
  const blocks = [
    { type: 'heading', text: 'May' },
    { type: 'paragraph', body: 'Hello {{first_name|there}}, the peas are up.' },
    { type: 'image', url: asset.url, alt: 'The garden in May' },
    { type: 'button', label: 'See more', url: 'javascript:alert(1)' },
  ]
  const create = (body: { readonly blocks: typeof blocks }) => api.post('/v1/newsletters', { body })
  const refused = await create({ blocks }).catch((error: unknown) => error)
  t.match(refused, { status: 422, details: [{ field: 'blocks[3].url', code: 'not_allowed' }] })
  blocks[3] = { type: 'button', label: 'See more', url: 'https://www.example.com/may' }
  const { id } = await create({ blocks })

  await api.patch('/v1/organization', { body: { require_test_send: true } })
  t.same(await failing(id), [
    ['audience_consent', 'audience_id'],
    ['body', 'subject'],
    ['footer_identity', null],
    ['test_send', null],
  ])
  const patch = { subject: 'May in the garden', audience_id: audience.id, archive_visibility: 'unlisted' } as const
  await api.patch('/v1/newsletters/{newsletter_id}', { ...pathOf(id), body: { ...patch, send_window_hours: 1 } })
  await api.patch('/v1/organization', { body: { legal_name: 'Garden Ltd', postal_address: '1 Lane\nTown' } })
  t.same(await failing(id), [['test_send', null]], 'mended but for the test')

  const recipient_email = office.address
  await api.post('/v1/newsletters/{newsletter_id}/test-send', { ...pathOf(id), body: { recipient_email } })
  const letter = await later(async () => {
    const inbox = await api.get('/v1/mailboxes/{mailbox_id}/inbox/messages', mailbox)
    const found = inbox.data.find(({ subject }) => subject.startsWith('[Test]'))
    assert(found)
    return found
  })
  t.equal(letter.subject, '[Test] May in the garden')
  t.same([await failing(id), (await arrived()).size], [[], 0])

  const first = await send(id)
  t.same([...first.copies.keys()].sort(), [ANN, BOB, CID, DAN])
  const { source, mailFrom, list, parsed } = first.copies.get(ANN)!
  t.match(parsed, { subject: 'May in the garden', text: /Hello A, the peas are up\./ })
  t.match(parsed.html, 'Hello A, the peas are up.')
  t.equal((parsed.to as AddressObject).text, ANN)
  t.match(mailFrom, /^return-[a-z2-7]+@bounces\.journey-news\.org$/)
  t.equal(list['list-id'], `<${audience.id}.${DOMAIN}>`)
  t.equal(list['list-unsubscribe-post'], 'List-Unsubscribe=One-Click')

  t.test('the fields of the list are signed, so that nobody on the way can change them', async (t) => {
    const resolver = async (name: string) =>
      records.filter(({ host, type }) => host === name && type === 'TXT').map(({ value }) => [value ?? ''])
    const verdicts = async (message: string) => {
      const { results } = await dkimVerify(Buffer.from(message), { resolver, curTime: new Date(clock.now()) })
      return new Set(results.map(({ status }) => status.result))
    }
    t.same(await verdicts(source), new Set(['pass']))
    const signed = [...source.matchAll(/^DKIM-Signature:(?:.*\r\n[ \t])*?.*\bh=([^;]*);/gm)].map(([, names = '']) =>
      names.split(':').map((name) => name.trim()),
    )
    t.ok(signed.length > 0)
    // RFC 8058 4: both must be signed.
    for (const names of signed)
      for (const name of ['from', 'list-id', 'list-unsubscribe', 'list-unsubscribe-post'])
        t.ok(names.includes(name), name)
    const evil = 'List-Unsubscribe: <https://evil.example/>\r\n'
    for (const changed of [
      source.replace(/^List-Unsubscribe: .*(\r\n .*)*\r\n/m, evil),
      source.replace(/^List-Unsubscribe-Post: .*\r\n/m, ''),
      source.replace(/^List-Id: </m, 'List-Id: <x'),
      source.replace(/^(?=From:)/m, evil),
    ]) {
      t.not(changed, source)
      t.same(await verdicts(changed), new Set(['fail']))
    }
    t.same(await verdicts(source.replace(/^(?=From:)/m, 'X-Seen: yes\r\n')), new Set(['pass']), 'control')
  })

  t.test('links and images of the message lead to the server', async (t) => {
    const html = String(parsed.html)
    const [, image = ''] = /<img[^>]* src="([^"]*)"/.exec(html) ?? []
    t.equal((await fetch(image)).headers.get('content-type'), 'image/png')
    const [, page = ''] = /href="([^"]*\/archive\/[^"]*)"/.exec(html) ?? []
    t.match(await (await fetch(page)).text(), 'Hello there, the peas are up.')
    t.equal(page, first.archive_url)
    t.ok(String(parsed.text).includes(page))
  })

  const leave = /^<([^>]*)>$/.exec(list['list-unsubscribe']!)![1]!
  t.ok(leave.startsWith(`${ready.http}/unsubscribe/`), leave)
  t.match(await (await fetch(leave)).text(), /<form method="post"/)
  t.match(await statuses(), { ann: 'subscribed' }, 'a GET changes nothing')
  const oneClick = await fetch(leave, {
    method: 'POST',
    headers: { 'Content-Type': 'application/x-www-form-urlencoded', 'User-Agent': 'Mail provider' },
    body: 'List-Unsubscribe=One-Click',
    redirect: 'manual',
  })
  t.equal(oneClick.status, 200)
  t.match(await statuses(), { ann: 'unsubscribed', bob: 'subscribed', unknown: 'bounced' })

  const { id: next } = await api.post('/v1/newsletters/{newsletter_id}/duplicate', pathOf(id))
  await api.patch('/v1/organization', { body: { require_test_send: false } })
  const second = await send(next)
  t.same([...second.copies.keys()].sort(), [BOB, CID, DAN], 'who has left or bounced gets no more')

  const returned = second.copies.get(BOB)!.mailFrom
  await deliver(returned, dsn({ recipient: BOB, status: '5.1.1', said: '550 5.1.1 No such user' }))
  const complaint = feedbackReport('abuse', [], second.copies.get(CID)!.source)
  const forged = complaint.replace(/^Subject: May.*$/m, 'Subject: June')
  await deliver(office.address, forged.replaceAll(CID, DAN))
  await deliver(office.address, complaint)
  const left = { ann: 'unsubscribed', bob: 'bounced', cid: 'complained', dan: 'subscribed', unknown: 'bounced' }
  await later(async () => assert.deepEqual(await statuses(), left))

  const statsOf = async (newsletter: string) => (await show(newsletter)).stats
  const before = { recipients: 5, sent: 5, delivered: 4, bounced: 1, complained: 0, unsubscribed: 1, remaining: 0 }
  t.same(await statsOf(id), before)
  const after = { recipients: 3, sent: 3, delivered: 2, bounced: 1, complained: 1, unsubscribed: 0, remaining: 0 }
  t.same(await statsOf(next), after)
  t.equal(first.copies.size + 1, before.sent, 'what the sink took, and what it refused')
  t.equal(second.copies.size, after.sent)
  const list2 = await Array.fromAsync(api.list('/v1/newsletters/{newsletter_id}/recipients', pathOf(next)))
  t.same(list2.map(({ email_address, status, complained }) => [email_address, status, complained]).sort(), [
    [BOB, 'bounced', false],
    [CID, 'delivered', true],
    [DAN, 'delivered', false],
  ])
  const suppressed = await Array.fromAsync(api.list('/v1/suppressions'))
  t.same(suppressed.map(({ email_address, reason }) => [email_address, reason]).sort(), [
    [BOB, 'hard_bounce'],
    [CID, 'complaint'],
    [UNKNOWN, 'hard_bounce'],
  ])
  const { id: last } = await api.post('/v1/newsletters/{newsletter_id}/duplicate', pathOf(id))
  t.same([...(await send(last)).copies.keys()], [DAN])
})

interface Copy {
  /** Reverse-path. */
  readonly mailFrom: string
  /** As it was sent, with CRLF. */
  readonly source: string
  /** Values of the List-* fields, by their names in lower case. */
  readonly list: { readonly [name: string]: string }
  readonly parsed: Awaited<ReturnType<typeof simpleParser>>
}

async function readCopy(mail: string, data: Buffer): Promise<Copy> {
  const [, mailFrom = ''] = /<([^>]*)>/.exec(mail) ?? []
  const source = data.toString('latin1').replaceAll(/^\.\./gm, '.')
  const parsed = await simpleParser(Buffer.from(source, 'latin1'))
  const fields = parsed.headerLines.filter(({ key }) => key.startsWith('list-'))
  const list = Object.fromEntries(
    fields.map(({ key, line }) => [key, line.slice(key.length + 1).replaceAll(/\s/g, '')]),
  )
  return { mailFrom, source, list, parsed }
}

async function upload(url: string, key: string, bytes: Buffer): Promise<{ readonly url: string }> {
  const headers = { Authorization: `Bearer ${key}`, 'Content-Type': 'image/png' }
  const answer = await fetch(url, { method: 'POST', headers, body: bytes })
  if (answer.status !== 201) throw new Error(`${answer.status}: ${await answer.text()}`)
  return (await answer.json()) as { readonly url: string }
}

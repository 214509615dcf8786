/**
 * Typical use of the REST API by an integrator, with the typed client, against the program itself: from a domain to mail in and out,
 * with webhooks. DNS, the next mail server and the receiver of webhooks are on loopback.
 */
import { createTransport } from 'nodemailer'
import t from 'tap'
import { ApiError, createClient } from '../../rest/client/client.ts'
import { eventSchema, type WebhookEventType } from '../../rest/openapi/webhook-events.ts'
import { answerFault } from '../../rest/schema/validate.ts'
import { delegation } from '../support/domain-zone.ts'
import { startPosthouse, temporaryFolder } from '../support/posthouse.ts'
import { startPeer } from '../support/smtp-peer.ts'
import { startWebhookInbox } from '../support/webhook-inbox.ts'
import { startZoneServer } from '../support/zone-server.ts'

const NAME = 'journey-rest.org'
const GONE = 'gone@example.org'

t.test('a domain, a mailbox, mail in and out, and the events of it all', async (t) => {
  const zone = await startZoneServer(t, [NAME], delegation(NAME))
  const inbox = await startWebhookInbox(t)
  const gone = new Set([GONE])
  const peer = await startPeer(t, {
    reply: (line) => {
      const [, address = ''] = /^RCPT TO:<([^>]*)>/i.exec(line) ?? []
      return gone.has(address) ? '550 5.1.1 There is no such mailbox' : null
    },
  })
  const { ready } = await startPosthouse(
    t,
    temporaryFolder(t, 'data'),
    [
      `--dns=127.0.0.1:${zone.port}`,
      `--dns-authority-port=${zone.port}`,
      `--outbound=smtp://127.0.0.1:${peer.port}`,
      '--webhook-allow-private-cidrs=127.0.0.1',
    ],
    { NODE_EXTRA_CA_CERTS: inbox.authority },
  )
  const api = createClient({ baseUrl: `${ready.http}/api`, key: ready.api_key })

  const webhook = await api.post('/v1/webhooks', {
    body: {
      url: inbox.url,
      events: [
        'domain.verified',
        'message.received',
        'message.sent',
        'message.delivered',
        'message.bounced',
        'mailbox.rule_matched',
      ],
    },
  })
  let domainId = ''
  let mailboxId = ''
  let threadId = ''

  t.test('a domain with published records is verified, and the webhook gets the event', async (t) => {
    const domain = await api.post('/v1/domains', { body: { name: NAME } })
    t.equal(domain.status, 'pending')
    domainId = domain.id
    const path = { domain_id: domain.id }
    const { records } = await api.get('/v1/domains/{domain_id}/dns-records', { path })
    for (const { host, type, value, priority } of records)
      zone.records[`${host} ${type}`] = [priority === undefined ? value! : `${priority} ${value}`]
    const verified = await api.post('/v1/domains/{domain_id}/verification', { path })
    t.match(verified, { status: 'verified' })
    const event = await inbox.take('domain.verified')
    t.ok(event.isSignedBy(webhook.secret))
    t.notOk(event.isSignedBy('whsec_another'), 'by no other secret')
    t.same(event.data, { domain_id: domain.id, verified_at: verified.verified_at })
  })

  t.test('mail to a new mailbox is moved and starred by a rule, which calls the webhook', async (t) => {
    const mailbox = await api.post('/v1/mailboxes', { body: { domain_id: domainId, address: 'office' } })
    mailboxId = mailbox.id
    const path = { mailbox_id: mailboxId }
    const { rules } = await api.put('/v1/mailboxes/{mailbox_id}/rules', {
      path,
      body: {
        rules: [
          {
            name: 'Invoices',
            conditions: [{ type: 'subject_contains', value: 'invoice' }],
            actions: [
              { type: 'move', target: { kind: 'system', role: 'archive' } },
              { type: 'star' },
              { type: 'send_webhook' },
            ],
          },
        ],
      },
    })
    const transport = createTransport({ ...ready.smtp, tls: { rejectUnauthorized: false } })
    await transport.sendMail({
      from: 'Ada <ada@example.org>',
      to: mailbox.address,
      subject: 'Invoice 7',
      text: 'As agreed.',
      messageId: '<invoice-7@example.org>',
    })
    transport.close()

    const matched = await inbox.take('mailbox.rule_matched')
    t.match(matched.data, { mailbox_id: mailboxId, rule_id: rules[0]!.id, rule_name: 'Invoices', action_index: 2 })
    const received = await inbox.take('message.received')
    t.same(received.data, {
      message_id: matched.data.message.id,
      mailbox_id: mailboxId,
      from: 'ada@example.org',
      to: [mailbox.address],
      subject: 'Invoice 7',
    })
    t.ok(matched.isSignedBy(webhook.secret) && received.isSignedBy(webhook.secret))

    const query = { folder_role: 'archive' } as const
    const list = await api.get('/v1/mailboxes/{mailbox_id}/inbox/messages', { path, query })
    t.match(list.data, [{ id: received.data.message_id, subject: 'Invoice 7', keywords: { $flagged: true } }])
    threadId = list.data[0]!.thread_id
  })

  t.test('a reply is sent in the thread, and the webhook gets the event of its delivery', async (t) => {
    const path = { thread_id: threadId }
    const reply = await api.post('/v1/threads/{thread_id}/reply', { path, body: { text: 'Paid today.' } })
    const sent = await inbox.take('message.sent')
    t.same(sent.data, {
      message_id: reply.id,
      mailbox_id: mailboxId,
      to: ['ada@example.org'],
      subject: 'Re: Invoice 7',
    })
    const delivered = await inbox.take('message.delivered')
    t.match(delivered.data, { message_id: reply.id, mailbox_id: mailboxId, to: 'ada@example.org' })
    t.match(String(peer.messages[0]!.data), /^In-Reply-To: <invoice-7@example\.org>\r$/m)
    const thread = await api.get('/v1/threads/{thread_id}', { path })
    t.match(thread.data, [{ id: reply.id, source: 'api', status: 'delivered' }, { source: 'inbound' }])
  })

  t.test('a bounce suppresses the address until the suppression is deleted', async (t) => {
    const send = () => api.post('/v1/messages', { body: { mailbox_id: mailboxId, to: GONE, text: 'Are you there?' } })
    const first = await send()
    const bounced = await inbox.take('message.bounced')
    t.match(bounced.data, { message_id: 'id' in first ? first.id : '', mailbox_id: mailboxId, to: GONE })
    t.equal(bounced.data.bounce_type, 'permanent')
    const suppressed = await Array.fromAsync(api.list('/v1/suppressions'))
    t.match(suppressed, [{ email_address: GONE, reason: 'hard_bounce' }])

    const refused = await send().catch((error: unknown) => error)
    t.ok(refused instanceof ApiError)
    t.match(refused, { status: 422, type: 'validation_error', details: [{ code: 'suppressed' }] })

    gone.delete(GONE)
    t.equal(await api.delete('/v1/suppressions/{email}', { path: { email: GONE } }), undefined)
    const passed = await send()
    const delivered = await inbox.take('message.delivered')
    t.match(delivered.data, { message_id: 'id' in passed ? passed.id : '', to: GONE })
  })

  t.test('while a secret is rotated both are accepted', async (t) => {
    const path = { webhook_id: webhook.id }
    const { secret, previous_secret_expires_at } = await api.post('/v1/webhooks/{webhook_id}/rotate-secret', { path })
    t.match(previous_secret_expires_at, /^\d{4}-/)
    const { event_id } = await api.post('/v1/webhooks/{webhook_id}/test', { path })
    const event = await inbox.take('webhook.test')
    t.equal(event.event_id, event_id)
    t.ok(event.isSignedBy(secret), 'by the new one')
    t.ok(event.isSignedBy(webhook.secret), 'by the old one')
    t.match(event.headers['x-service-signature-previous'], /^[0-9a-f]{64}$/)
    const deliveries = await Array.fromAsync(api.list('/v1/webhooks/{webhook_id}/deliveries', { path }))
    t.equal(deliveries.length, inbox.received.length)
    t.same(
      deliveries.filter(({ status, attempts }) => status === 'failed' || attempts > 1),
      [],
    )
  })

  t.test('every event matched the description and was delivered once', async (t) => {
    for (const { headers: _headers, body: _body, isSignedBy: _isSignedBy, ...event } of inbox.received) {
      const faultOf = answerFault(eventSchema(event.event_type as WebhookEventType).json)
      t.equal(faultOf(event), null, event.event_type)
    }
    t.equal(new Set(inbox.received.map(({ event_id }) => event_id)).size, inbox.received.length)
    t.same([...new Set(inbox.received.map(({ event_type }) => event_type))].sort(), [
      'domain.verified',
      'mailbox.rule_matched',
      'message.bounced',
      'message.delivered',
      'message.received',
      'message.sent',
      'webhook.test',
    ])
  })
})

/** Bounces as servers write them: by RFC 3464, and in free text. */
import t from 'tap'
import { readBounce } from '../../../../jmap/mail/reports/bounce.ts'
import { parseMessage } from '../../../../jmap/message/structure.ts'

const read = (text: string) => {
  const bytes = Buffer.from(text.replaceAll('\n', '\r\n'))
  return readBounce(bytes, parseMessage(bytes))
}

interface Notice {
  readonly from?: string
  readonly subject?: string
  readonly headers?: readonly string[]
}

/** A notice in plain words. */
function notice(lines: readonly string[], { from, subject, headers = [] }: Notice = {}): string {
  return [
    `From: ${from ?? 'Mail Delivery System <MAILER-DAEMON@mx.example.org>'}`,
    'To: sender@example.test',
    `Subject: ${subject ?? 'Undelivered Mail Returned to Sender'}`,
    ...headers,
    '',
    ...lines,
    '',
  ].join('\n')
}

function dsn(status: readonly string[], words: readonly string[] = ['It did not work.'], returned?: string): string {
  return [
    'From: postmaster@mx.example.org',
    'To: sender@example.test',
    'Subject: Delivery Status Notification',
    'MIME-Version: 1.0',
    'Content-Type: multipart/report; report-type=delivery-status; boundary=b',
    '',
    '--b',
    '',
    ...words,
    '--b',
    'Content-Type: message/delivery-status',
    '',
    ...status,
    ...(returned === undefined ? [] : ['--b', 'Content-Type: text/rfc822-headers', '', returned]),
    '--b--',
    '',
  ].join('\n')
}

const failed = (more: readonly string[], address = 'ann@example.org') =>
  dsn(['Reporting-MTA: dns; mx.example.org', '', `Final-Recipient: rfc822; ${address}`, ...more])

const RETURNED = ['------ This is a copy of the message ------', '', 'From: sender@example.test', 'To: ann@example.org']

t.test('reads the fields of a notification (RFC 3464 2): recipient, action, status, diagnosis', async (t) => {
  const bounce = read(
    dsn(
      [
        'Original-Envelope-Id: env-1',
        'Reporting-MTA: dns; mx.example.org',
        '',
        'Original-Recipient: rfc822; ann@example.org',
        'Final-Recipient: rfc822; ann@inside.example.org',
        'Action: failed',
        'Status: 5.1.1 (bad mailbox)',
        'Diagnostic-Code: smtp; 550 5.1.1 User',
        '  unknown',
      ],
      ['Sorry.'],
      'Message-ID: <m1@example.test>',
    ),
  )
  t.match(bounce, {
    envelopeId: 'env-1',
    messageIds: ['m1@example.test'],
    recipients: [
      {
        addresses: ['ann@example.org', 'ann@inside.example.org'],
        isNamed: true,
        action: 'failed',
        status: '5.1.1',
        code: 550,
        reason: 'unknownUser',
        class: 'hard',
        diagnosis: '550 5.1.1 User unknown',
      },
    ],
  })
})

t.test('several recipients of one notification have separate results', async (t) => {
  const group = (address: string, status: string, said: string) => [
    '',
    `Final-Recipient: rfc822; ${address}`,
    'Action: failed',
    `Status: ${status}`,
    `Diagnostic-Code: smtp; ${said}`,
  ]
  const bounce = read(
    dsn([
      'Reporting-MTA: dns; mx.example.org',
      ...group('a@example.org', '5.1.1', '550 5.1.1 no such user'),
      ...group('b@example.org', '5.2.2', '552 5.2.2 mailbox full'),
      ...group('c@example.org', '5.7.1', '554 5.7.1 listed at a block list'),
    ]),
  )
  t.same(
    bounce?.recipients.map((one) => [one.addresses[0], one.reason, one.class]),
    [
      ['a@example.org', 'unknownUser', 'hard'],
      ['b@example.org', 'mailboxFull', 'soft'],
      ['c@example.org', 'blocked', 'policy'],
    ],
  )
})

t.test('a delay and a success are not failures', async (t) => {
  const delayed = read(failed(['Action: delayed', 'Status: 4.4.1', 'Diagnostic-Code: smtp; 451 4.4.1 later']))
  t.match(delayed?.recipients, [{ action: 'delayed', class: 'soft' }])
  const named = read(failed(['Action: delayed', 'Status: 4.1.1', 'Diagnostic-Code: smtp; 450 4.1.1 user unknown']))
  t.match(named?.recipients, [{ action: 'delayed', class: 'soft' }], 'whatever the reason')
  const delivered = read(failed(['Action: delivered', 'Status: 2.0.0']))
  t.match(delivered?.recipients, [{ action: 'delivered', class: null, reason: null }])
  t.match(read(failed(['Action: failed', 'Status: 5.1.1']))?.recipients, [{ action: 'failed', class: 'hard' }])
})

t.test('reads an address beyond ASCII (RFC 6533 3)', async (t) => {
  const bounce = read(dsn(['', 'Final-Recipient: utf-8; \\x{FC}ser@example.org', 'Action: failed', 'Status: 5.1.1']))
  t.same(bounce?.recipients[0]?.addresses, ['üser@example.org'])
})

t.test('reads the recipient from the text of notices of other servers', async (t) => {
  const cases: readonly [name: string, text: string, reason: string, kind: string][] = [
    [
      'qmail',
      notice([
        'Hi. This is the qmail-send program.',
        '',
        '<ann@example.org>:',
        'Remote host said: 550 5.1.1 No such user',
        '',
        '--- Below this line is a copy of the message.',
        '',
        'Return-Path: <sender@example.test>',
        'To: ann@example.org',
      ]),
      'unknownUser',
      'hard',
    ],
    [
      'Exim',
      notice([
        'A message that you sent could not be delivered to one or more of its',
        'recipients. The following address(es) failed:',
        '',
        '  ann@example.org',
        '    SMTP error from remote mail server after RCPT TO:<ann@example.org>:',
        '    550 user unknown',
        '',
        ...RETURNED,
      ]),
      'unknownUser',
      'hard',
    ],
    [
      'Postfix without fields',
      notice(['This is the mail system.', '', '<ann@example.org>: host mx said: 552 Quota exceeded', '', ...RETURNED]),
      'mailboxFull',
      'soft',
    ],
    ['in a sentence', notice(['Delivery to ann@example.org failed: the host was not found.']), 'unknownHost', 'hard'],
    [
      'only by a field of the header',
      notice(['Something failed permanently: 554 rejected as spam.'], {
        headers: ['X-Failed-Recipients: ann@example.org'],
      }),
      'spam',
      'policy',
    ],
  ]
  for (const [name, text, reason, kind] of cases) {
    const bounce = read(text)
    t.match(bounce?.recipients, [{ addresses: ['ann@example.org'], isNamed: true, reason, class: kind }], name)
  }
})

t.test('distinguishes the recipient from other addresses in a notice', async (t) => {
  const bounce = read(notice(['A message that you sent could not be delivered: no such user.', '', ...RETURNED]))
  t.match(bounce?.recipients, [{ addresses: ['ann@example.org'], isNamed: false }])
})

t.test("a content filter's refusal does not mark the recipient as gone", async (t) => {
  const said = (where: string) =>
    read(notice([`<ann@example.org>: host mx said: 550 Unknown user (in reply to ${where})`, '', ...RETURNED]))
      ?.recipients[0]?.class
  t.equal(said('end of DATA command'), 'soft')
  t.equal(said('RCPT TO command'), 'hard')
})

t.test('a failure of a connection or of a route does not mark the recipient as gone', async (t) => {
  for (const [diagnosis, reason] of [
    // Postfix
    ['lost connection with mx.d.test[192.0.2.1] while receiving the initial server greeting', 'network'],
    ['conversation with mx.d.test[192.0.2.1] timed out while sending RCPT TO', 'network'],
    // qmail, RFC 3463 3.5
    ["Although I'm listed as a best-preference MX, it isn't in my control/locals file. (#5.4.6)", 'network'],
    // Exim: the sender's own servers were asked.
    ['550 Verification failed for <s@x.test>', 'sender'],
    ['550-Callback setup failed while verifying <s@x.test>', 'sender'],
  ] as const) {
    const status = /#(5\.\d\.\d)/.exec(diagnosis)?.[1] ?? '5.0.0'
    const fields = ['Final-Recipient: rfc822; u@d.test', 'Action: failed', `Status: ${status}`]
    const bounce = read(dsn(['Reporting-MTA: dns; x', '', ...fields, `Diagnostic-Code: smtp; ${diagnosis}`]))
    t.match(bounce?.recipients[0], { reason }, diagnosis)
  }
})

t.test('an address between the words of a reason does not hide it', async (t) => {
  const told = (line: string) => read(notice(['Your message was not delivered:', '', line]))?.recipients[0]
  t.match(told('    User <ann@example.org> unknown'), { addresses: ['ann@example.org'], reason: 'unknownUser' })
  t.match(told('    User <ann@example.org> waits'), { addresses: ['ann@example.org'], reason: 'undefined' }, 'control')
})

t.test('reads local parts that are quoted or have an equals sign (RFC 5321 4.1.2)', async (t) => {
  for (const address of ['"ann..o"@example.org', 'list=ann@example.org']) {
    t.same(read(notice([`<${address}>: 550 no such user`]))?.recipients[0]?.addresses, [address])
    t.same(read(failed(['Action: failed', 'Status: 5.1.1'], address))?.recipients[0]?.addresses, [address])
  }
})

t.test("the code of the refusing server counts more than the reporting server's", async (t) => {
  const told = (said: string) => read(failed(['Action: failed', 'Status: 5.1.1', `Diagnostic-Code: smtp; ${said}`]))
  t.match(told('550 5.7.1 not this way')?.recipients[0], { status: '5.7.1', class: 'policy' })
  t.match(told('550 not this way')?.recipients[0], { status: '5.1.1', class: 'hard' }, 'control')
})

t.test('who refuses the connection or the sender refuses no recipient', async (t) => {
  const told = (stage: string) =>
    read(notice([`<ann@example.org>: host mx said: 550 no, thank you (in reply to ${stage})`]))
  t.match(told('MAIL FROM command')?.recipients[0], { reason: 'sender', class: 'policy' })
  t.match(told('EHLO command')?.recipients[0], { reason: 'blocked', class: 'policy' })
  t.match(told('RCPT TO command')?.recipients[0], { class: 'soft' }, 'control')
})

t.test('a recipient that is no mail address stands for the recipient of the returned message', async (t) => {
  const fields = [
    'Reporting-MTA: dns; x',
    '',
    'Final-Recipient: x-unix; |/bin/filter',
    'Action: failed',
    'Status: 5.3.0',
  ]
  const bounce = read(dsn(fields, ['It failed.'], 'To: ann@example.org'))
  t.match(bounce?.recipients, [{ addresses: ['ann@example.org'], isNamed: false, class: 'soft' }])
})

t.test(
  'a notice of an unknown sender is read if it says what only mail systems say; an answer to it is none',
  async (t) => {
    const lines = ['Your mail was not delivered to:', '', '  ann@example.org', '', 'User unknown.']
    const from = 'Relay <relay@example.org>'
    t.match(read(notice(lines, { from, subject: 'Delivery failure' }))?.recipients, [
      { addresses: ['ann@example.org'] },
    ])
    t.equal(read(notice(lines, { from, subject: 'Re: Delivery failure' })), null)
    t.equal(read(notice(['See you at noon.'], { from, subject: 'Delivery failure' })), null)
  },
)

t.test('personal mail is not a bounce', async (t) => {
  const people = [
    notice(['Hello,', 'ann@example.org does not exist, as you know.'], {
      from: 'Bob <bob@example.org>',
      subject: 'Lunch',
    }),
    notice(['I am away until Monday.'], {
      from: 'Ann <ann@example.org>',
      subject: 'Automatic reply: Lunch',
      headers: ['Auto-Submitted: auto-replied'],
    }),
  ]
  for (const text of people) t.equal(read(text), null)
  t.not(read(notice(['<ann@example.org>: user unknown'])), null, 'a bounce with as little in it')
})

t.test("a read receipt is not a bounce; a script's refusal in its form is one", async (t) => {
  const receipt = (disposition: string) =>
    dsn(
      ['Final-Recipient: rfc822; ann@example.org', `Disposition: ${disposition}`],
      ['Your message to <ann@example.org> was not read: mailbox full.'],
    ).replace('message/delivery-status', 'message/disposition-notification')
  t.equal(read(receipt('manual-action/MDN-sent-manually; displayed')), null)
  t.equal(read(receipt('manual-action/MDN-sent-automatically; deleted')), null)
  t.match(read(receipt('automatic-action/MDN-sent-automatically; deleted'))?.recipients, [{ class: 'soft' }])
})

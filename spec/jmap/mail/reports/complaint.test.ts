/** Complaints in the form of RFC 5965. */
import t from 'tap'
import { isAgainstSender, readComplaint } from '../../../../jmap/mail/reports/complaint.ts'
import { parseMessage } from '../../../../jmap/message/structure.ts'

const read = (fields: readonly string[], original: readonly string[] = []) => {
  const text = [
    'From: fbl@provider.example',
    'To: abuse@example.test',
    'Subject: Abuse report',
    'Content-Type: multipart/report; report-type=feedback-report; boundary=b',
    '',
    '--b',
    '',
    'Somebody complains.',
    '--b',
    'Content-Type: message/feedback-report',
    '',
    ...fields,
    '--b',
    'Content-Type: message/rfc822',
    '',
    'From: hello@example.test',
    ...original,
    '',
    'Hello',
    '--b--',
    '',
  ].join('\r\n')
  const bytes = Buffer.from(text)
  return readComplaint(bytes, parseMessage(bytes))
}

t.test('a feedback report names its message and the complaining recipient (RFC 5965 3)', async (t) => {
  const complaint = read(
    [
      'Feedback-Type: abuse',
      'User-Agent: fbl/1',
      'Version: 1',
      'Original-Mail-From: <bounce@example.test>',
      'Original-Rcpt-To: <ann@provider.example>',
      'Original-Rcpt-To: <bob@provider.example>',
      'Original-Envelope-Id: env-1',
    ],
    ['Message-ID: <m1@example.test>', 'Return-Path: <other@example.test>'],
  )
  t.match(complaint, {
    feedbackType: 'abuse',
    envelopeId: 'env-1',
    messageIds: ['m1@example.test'],
    returnPaths: ['bounce@example.test', 'other@example.test'],
    addresses: ['ann@provider.example', 'bob@provider.example'],
  })
})

t.test('without Original-Rcpt-To the recipient is that of the message', async (t) => {
  t.same(read(['Feedback-Type: abuse'], ['To: ann@provider.example'])?.addresses, ['ann@provider.example'])
  t.same(read(['Feedback-Type: abuse'], ['To: undisclosed-recipients:;'])?.addresses, [])
})

t.test('reports on authentication and on wanted mail are not complaints', async (t) => {
  const against = (type: string) => isAgainstSender(read([`Feedback-Type: ${type}`])!)
  t.equal(against('auth-failure'), false, 'RFC 6591')
  t.equal(against('not-spam'), false, 'RFC 6430')
  t.equal(against('Abuse'), true)
  t.equal(against('fraud'), true)
})

t.test('other mail is not a complaint', async (t) => {
  const bytes = Buffer.from('From: ann@example.org\r\nSubject: Abuse!\r\n\r\nFeedback-Type: abuse\r\n')
  t.equal(readComplaint(bytes, parseMessage(bytes)), null)
})

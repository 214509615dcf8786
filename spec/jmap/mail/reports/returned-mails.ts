/** Reports that come back. */
import { Buffer } from 'node:buffer'

export function octets(text: string): Buffer {
  return Buffer.from(text.replaceAll('\n', '\r\n'))
}

export interface Dsn {
  readonly recipient: string
  readonly status: string
  /** The server's reply. */
  readonly said: string
  readonly action?: string
  readonly envelopeId?: string
}

/** RFC 3464 */
export function dsn({ recipient, status, said, action = 'failed', envelopeId }: Dsn): string {
  return `From: Mail Delivery System <MAILER-DAEMON@mx.example.org>
To: bounces@example.test
Subject: Undelivered Mail Returned to Sender
MIME-Version: 1.0
Content-Type: multipart/report; report-type=delivery-status; boundary=b

--b

It was not delivered.
--b
Content-Type: message/delivery-status

${envelopeId === undefined ? '' : `Original-Envelope-Id: ${envelopeId}\n`}Reporting-MTA: dns; mx.example.org

Final-Recipient: rfc822; ${recipient}
Action: ${action}
Status: ${status}
Diagnostic-Code: smtp; ${said}
--b--
`
}

/** RFC 5965 */
export function arf({
  recipient,
  type = 'abuse',
  returnPath = 'bounces@example.test',
  envelopeId,
}: {
  readonly recipient: string
  readonly type?: string
  readonly returnPath?: string
  readonly envelopeId?: string
}): string {
  const fields = [
    ...(envelopeId === undefined ? [] : [`Original-Envelope-Id: ${envelopeId}`]),
    `Original-Mail-From: <${returnPath}>`,
    `Original-Rcpt-To: <${recipient}>`,
  ]
  return feedbackReport(type, fields, `From: hello@example.test\nTo: ${recipient}\n\nHello`)
}

/**
 * RFC 5965, as providers send it to the address that is registered with them.
 * @param fields of the report, beside its type and version
 * @param original the returned message, or its header
 */
export function feedbackReport(
  type: string,
  fields: readonly string[],
  original: string,
  originalType = 'message/rfc822',
): string {
  return `From: fbl@provider.example
To: abuse@example.test
Subject: Complaint
MIME-Version: 1.0
Content-Type: multipart/report; report-type=feedback-report; boundary=b

--b

Somebody complains.
--b
Content-Type: message/feedback-report

${[`Feedback-Type: ${type}`, 'Version: 1', ...fields].join('\n')}

--b
Content-Type: ${originalType}

${original}
--b--
`
}

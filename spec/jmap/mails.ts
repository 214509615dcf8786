/** Small messages for tests, as text with LF; `receive` of the test harness converts it to CRLF. */

export interface TestMail {
  readonly from?: string
  readonly to?: string
  readonly subject?: string
  /** Without angle brackets. */
  readonly id?: string
  readonly inReplyTo?: string
  readonly references?: readonly string[]
  readonly date?: string
  /** Further header lines. */
  readonly headers?: readonly string[]
  readonly body?: string
}

export function mail(fields: TestMail = {}): string {
  const { from = 'Bob <bob@example.org>', to = 'hello@example.test', subject = 'Lunch', body = 'At noon?' } = fields
  const lines = [
    `From: ${from}`,
    `To: ${to}`,
    `Subject: ${subject}`,
    ...(fields.id ? [`Message-ID: <${fields.id}>`] : []),
    ...(fields.inReplyTo ? [`In-Reply-To: <${fields.inReplyTo}>`] : []),
    ...(fields.references ? [`References: ${fields.references.map((id) => `<${id}>`).join(' ')}`] : []),
    ...(fields.date ? [`Date: ${fields.date}`] : []),
    ...(fields.headers ?? []),
  ]
  return `${lines.join('\n')}\n\n${body}\n`
}

/** The same as octets with CRLF. */
export function octets(text: string): Uint8Array {
  return Buffer.from(text.replaceAll(/\r?\n/g, '\r\n'))
}

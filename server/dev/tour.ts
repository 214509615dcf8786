/** What dev mode prints: addresses, credentials, and four commands that work without a change. */
import type { ReadyReport } from '../startup/ready-report.ts'
import type { DevCredentials } from './credentials.ts'

export interface TourCommand {
  readonly title: string
  /** For a POSIX shell. */
  readonly command: string
}

const SENDER = 'ada@example.com'

/** In the order of a message's way: receive, list, read, send. */
export function tourCommands(report: ReadyReport, credentials: DevCredentials): TourCommand[] {
  const { http, smtp } = report
  const { mailbox, api_key: key } = credentials
  const mail = `From: Ada <${SENDER}>\\nTo: ${mailbox.address}\\nSubject: Hello Posthouse\\n\\nIt works.\\n`
  const list = `${http}/api/v1/mailboxes/${mailbox.id}/inbox/messages`
  const message = {
    from: mailbox.address,
    to: [SENDER],
    subject: 'Re: Hello Posthouse',
    text: 'So it does.',
  }
  return [
    {
      title: 'Send a message in, over SMTP:',
      command: `printf '${mail}' | curl -sS --crlf smtp://${authority(smtp)} --mail-from ${SENDER} --mail-rcpt ${mailbox.address} -T -`,
    },
    { title: 'List it, over REST:', command: `curl -sS '${list}' -H 'Authorization: Bearer ${key}'` },
    {
      title: 'Read it, over JMAP:',
      command: `curl -sS ${http}/jmap/api -u '${mailbox.address}:${mailbox.password}' -H 'Content-Type: application/json' -d '${JSON.stringify(newestEmail(mailbox.id))}'`,
    },
    {
      title: 'Send one out, over REST:',
      command: `curl -sS ${http}/api/v1/messages -H 'Authorization: Bearer ${key}' -H 'Content-Type: application/json' -d '${JSON.stringify(message)}'`,
    },
  ]
}

/** The newest message of the account, with its text. */
function newestEmail(accountId: string): object {
  const sort = [{ property: 'receivedAt', isAscending: false }]
  const ids = { resultOf: 'q', name: 'Email/query', path: '/ids' }
  const properties = ['id', 'threadId', 'from', 'to', 'subject', 'receivedAt', 'preview', 'textBody', 'bodyValues']
  return {
    using: ['urn:ietf:params:jmap:core', 'urn:ietf:params:jmap:mail'],
    methodCalls: [
      ['Email/query', { accountId, sort, limit: 1 }, 'q'],
      ['Email/get', { accountId, '#ids': ids, properties, fetchTextBodyValues: true }, 'g'],
    ],
  }
}

/** The text for a terminal. */
export function describeTour(report: ReadyReport, credentials: DevCredentials, outbound: string): string {
  const { http, smtp, submission } = report
  const { mailbox, api_key: key } = credentials
  const tls = { host: submission.host, port: submission.tls_port }
  const commands = tourCommands(report, credentials).map(({ title, command }) => `${title}\n\n  ${command}\n`)
  return `Posthouse is ready, in dev mode.

  HTTP              ${http}  (JMAP session: ${http}/.well-known/jmap)
  SMTP in           ${authority(smtp)}
  Submission        ${authority(submission)} (STARTTLS), ${authority(tls)} (TLS), self-signed certificate
  Outgoing mail     ${outbound}

  Mailbox           ${mailbox.address}
  Password          ${mailbox.password}
  API key           ${key}

${commands.join('\n')}
Stop with Ctrl-C. The data stays; the next start prints the same credentials.
`
}

function authority({ host, port }: { readonly host: string; readonly port: number }): string {
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`
}

/** Trace information (RFC 5321 4.4): the lines that a message gets in front. Pure. */
import type { EnvelopeParameters } from '../../jmap/mail/submission/envelope.ts'
import { protocolName, type SmtpSession } from './session.ts'

const WIDTH = 78

/** RFC 5321 4.4: written at final delivery; '' is the null reverse-path. */
export function returnPath(mailFrom: string): string {
  return `Return-Path: <${mailFrom}>\r\n`
}

export interface ReceivedLine {
  readonly by: string
  readonly id: string
  /** Epoch ms. */
  readonly at: number
  /** Written only for a single recipient, else it would tell the others (RFC 5321 7.2). */
  readonly recipient: string | null
}

/** The line for mail from outside: who said what name, from which address. */
export function receivedFrom(session: SmtpSession, parameters: EnvelopeParameters, line: ReceivedLine): string {
  const ip = session.remoteAddress.includes(':') ? `IPv6:${session.remoteAddress}` : session.remoteAddress
  return received(`from ${safeDomain(session.helo)} ([${ip}])`, protocolName(session, parameters), line)
}

/**
 * The line for a message that an authenticated user hands in. RFC 5321 4.4 wants a name and an address of the client; they would tell
 * every reader where the author sits and help no one, since the id leads the operator to the session's log.
 */
export function receivedSubmission(session: SmtpSession, parameters: EnvelopeParameters, line: ReceivedLine): string {
  return received('from authenticated', protocolName(session, parameters), line)
}

/** The line for a message that comes from our own queue to one of our mailboxes: no SMTP, so no `from` and no `with`. */
export function receivedLocally(line: ReceivedLine): string {
  return received('', null, line)
}

/** RFC 5322 3.3, in UTC. */
export function formatDate(at: number): string {
  return new Date(at).toUTCString().replace('GMT', '+0000')
}

function received(from: string, protocol: string | null, { by, id, at, recipient }: ReceivedLine): string {
  const clauses = [from, `by ${by}`, protocol && `with ${protocol}`, `id ${id}`, recipient && `for <${recipient}>`]
  let text = 'Received:'
  let width = text.length
  for (const clause of [...clauses.filter(Boolean), '']) {
    const word = clause === '' ? '' : ` ${clause}`
    if (word && width + word.length > WIDTH && width > 'Received:'.length) {
      text += `\r\n${word}`
      width = word.length
    } else {
      text += word ?? ''
      width += (word ?? '').length
    }
  }
  return `${text};\r\n ${formatDate(at)}\r\n`
}

/** A client's EHLO argument may be anything but control characters: only what a domain or a literal holds is repeated. */
function safeDomain(helo: string): string {
  const safe = helo.replace(/[^A-Za-z0-9.:[\]_\u0080-\uffff-]/g, '?')
  return safe === '' ? 'unknown' : safe
}

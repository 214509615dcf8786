/** Trace information (RFC 5321 4.4): fields that are written in front of a message. Pure. */
import type { EnvelopeParameters } from '../../jmap/mail/submission/envelope.ts'
import { protocolName, type SmtpSession } from './session.ts'

const WIDTH = 78

/** RFC 5321 4.4: written at final delivery; '' is the null reverse-path. */
export function returnPath(mailFrom: string): string {
  return `Return-Path: <${mailFrom}>\r\n`
}

export interface ReceivedField {
  readonly by: string
  readonly id: string
  /** Epoch ms. */
  readonly at: number
  /** Written only for a single recipient: else each recipient would learn of the others (RFC 5321 7.2). */
  readonly recipient: string | null
}

/** The Received field of mail from outside: the name of EHLO and the client's address. */
export function receivedFrom(session: SmtpSession, parameters: EnvelopeParameters, line: ReceivedField): string {
  const ip = session.remoteAddress.includes(':') ? `IPv6:${session.remoteAddress}` : session.remoteAddress
  return received(`from ${safeDomain(session.helo)} ([${ip}])`, protocolName(session, parameters), line)
}

/**
 * The Received field of a submitted message. RFC 5321 4.4 asks for name and address of the client. They are left out: every reader would learn
 * where the author is, and the operator finds the session in the log by the id.
 */
export function receivedSubmission(session: SmtpSession, parameters: EnvelopeParameters, line: ReceivedField): string {
  return received('from authenticated', protocolName(session, parameters), line)
}

/** The Received field of a message from the queue to a mailbox of this installation: without SMTP, so without `from` and `with`. */
export function receivedLocally(line: ReceivedField): string {
  return received('', null, line)
}

/** RFC 5322 3.3, in UTC. */
export function formatDate(at: number): string {
  return new Date(at).toUTCString().replace('GMT', '+0000')
}

function received(from: string, protocol: string | null, { by, id, at, recipient }: ReceivedField): string {
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

/** A client's EHLO argument may hold anything but control characters: other characters than those of a domain or a literal become `?`. */
function safeDomain(helo: string): string {
  const safe = helo.replace(/[^A-Za-z0-9.:[\]_\u0080-\uffff-]/g, '?')
  return safe === '' ? 'unknown' : safe
}

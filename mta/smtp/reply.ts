import { SMTP_REPLY_MAX_CHARS } from '../../server/base/outbound-limits.ts'

/** An SMTP reply: code, enhanced status code (RFC 3463) and one line of text. */
export interface Reply {
  readonly code: number
  readonly enhanced: string
  readonly text: string
  /** Close the connection after it. */
  readonly close?: true
}

export function reply(code: number, enhanced: string, text: string): Reply {
  return { code, enhanced, text }
}

/** RFC 5429 2.1.1: the reason that a recipient's script gives, as far as a reply can hold it. */
export function rejectionReply(reason: string): Reply {
  const text = oneLine(reason.replace(/[^\x20-\x7e]+/g, ' ')).slice(0, REASON_MAX_CHARS)
  return reply(550, '5.7.1', text || 'The recipient refuses the message')
}

/** RFC 5321 4.5.3.1.5: a reply line has 512 octets at most. */
const REASON_MAX_CHARS = 400

/** The reply as one line, `550 5.1.1 text`: on the wire, and in smtpReply of RFC 8621 7. */
export function replyLine({ code, enhanced, text }: Reply): string {
  return oneLine(`${code} ${enhanced} ${text}`)
}

/** Any text of a peer or an error as one printable line of bounded length. */
export function oneLine(text: string): string {
  return (
    text
      .replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]+/g, ' ')
      .trim()
      .slice(0, SMTP_REPLY_MAX_CHARS)
      // Nothing can store half a character.
      .toWellFormed()
  )
}

/** A peer's reply of one or several lines as one line with an enhanced status code: `550 5.1.1 first second`. */
export function normalizeReply(response: string): string {
  const lines = response.split(/\r?\n/).filter((line) => line !== '')
  const code = /^[2-5]\d\d/.exec(lines[0] ?? '')?.[0]
  if (!code) return oneLine(`451 4.4.2 Unexpected reply: ${response}`)
  const texts = lines.map((line) => line.replace(/^\d{3}[ -]?/, ''))
  const enhanced = new RegExp(`^${code[0]}\\.\\d{1,3}\\.\\d{1,3}(?= |$)`).exec(texts[0] ?? '')?.[0]
  // Each line of a long reply repeats the enhanced code (RFC 2034 4): it is kept once.
  const words = texts.map((text) => (enhanced && text.startsWith(enhanced) ? text.slice(enhanced.length).trim() : text))
  return oneLine(`${code} ${enhanced ?? `${code[0]}.0.0`} ${words.join(' ')}`)
}

/** The enhanced status code of a line of `replyLine` or `normalizeReply`. */
export function enhancedCode(line: string): string {
  return /^\d{3} ([245]\.\d{1,3}\.\d{1,3})/.exec(line)?.[1] ?? `${line[0] ?? '4'}.0.0`
}

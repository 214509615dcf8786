/**
 * Samples varied by means that do not change what they say: rules that are fitted to single files fail on them. Each takes the octets of a
 * mail as latin1 text with LF or CRLF, and returns such text.
 */

export interface Variation {
  readonly name: string
  readonly of: (mail: string) => string
  /** What becomes of an address; default: it stays. */
  readonly address?: (address: string) => string
}

export const VARIATIONS: readonly Variation[] = [
  { name: 'other addresses and hosts', of: renamed, address: renamed },
  { name: 'long lines wrapped', of: wrapped },
  { name: 'wrapped lines joined', of: joined },
  { name: 'fields in another order', of: reordered },
  { name: 'no enhanced codes in texts', of: withoutCodes },
  { name: 'a quotation in front', of: (mail) => inFront(mail, QUOTATION) },
  { name: 'a disclaimer in front', of: (mail) => inFront(mail, DISCLAIMER) },
  { name: 'no delivery status', of: (mail) => withoutParts(mail, /message\/(?:global-)?delivery-status/i) },
  { name: 'no returned message', of: (mail) => withoutParts(mail, /message\/(?:rfc822|global)|text\/rfc822-headers/i) },
  { name: 'another sender and subject', of: anotherHeader },
  { name: 'replies in capitals', of: capitals },
]

/** Letters that stand for others; digits, length and case remain, so that lines and encodings do. */
function rotated(word: string): string {
  return word.replace(/[a-z]/gi, (letter) => {
    const base = letter <= 'Z' ? 65 : 97
    return String.fromCharCode(((letter.charCodeAt(0) - base + 7) % 26) + base)
  })
}

const KEPT =
  /^(?:postmaster|mailer-daemon|mailer_daemon|post_master|administrator|abuse|root|www|com|net|org|jp|ne|co|de)$/i

/** Addresses and host names, but not the top domains nor the names of roles. */
function renamed(mail: string): string {
  return byText(mail, (text) =>
    text.replace(
      /[A-Za-z0-9._+-]*@[A-Za-z0-9_-]+(?:\.[A-Za-z0-9_-]+)+|\b[a-z0-9-]+(?:\.[a-z0-9-]+)*\.[a-z]{2,4}\b(?!@)/g,
      (name) =>
        /^\d+(?:\.\d+)+$/.test(name)
          ? name
          : name.replace(/[A-Za-z0-9_-]+/g, (label) => (KEPT.test(label) ? label : rotated(label))),
    ),
  )
}

/** Encoded bodies are left as they are. */
function byText(mail: string, change: (text: string) => string): string {
  return mail
    .split(/(\n(?:[A-Za-z0-9+/]{60,76}=?=?\r?\n){2,})/)
    .map((part, i) => (i % 2 === 1 ? part : change(part)))
    .join('')
}

/** Lines of the first text and of the report are handled, not those of the header of the mail. */
function inBody(mail: string, change: (line: string, before: string) => string): string {
  const [header, rest] = split(mail)
  const lines = rest.split('\n')
  return header + lines.map((line, i) => change(line, lines[i - 1] ?? '')).join('\n')
}

function split(mail: string): [header: string, body: string] {
  const end = /\r?\n\r?\n/.exec(mail)
  return end ? [mail.slice(0, end.index + end[0].length), mail.slice(end.index + end[0].length)] : [mail, '']
}

/** At spaces, from the 50th column; the rest is indented as in folded fields and replies. */
function wrapped(mail: string): string {
  return inBody(mail, (line) => {
    if (/^--|^Content-|^[A-Za-z0-9+/=]{50,}$|=\r?$/.test(line)) return line
    return line.replace(/(.{50,}?\S) (?=\S.{8})/g, '$1\n    ')
  })
}

/** Continued lines of fields and of indented texts. */
function joined(mail: string): string {
  const [header, body] = split(mail)
  return header + body.replace(/(\S)\r?\n {4,}(?=[a-z0-9(])/g, '$1 ')
}

/** The fields of each recipient, from the last to the first (RFC 3464 2.1 has no order). */
function reordered(mail: string): string {
  return mail.replace(
    /^(?:(?:Original-Recipient|Final-Recipient|Action|Status|Remote-MTA|Diagnostic-Code|Last-Attempt-Date|Will-Retry-Until|X-Actual-Recipient):.*(?:\r?\n[ \t].*)*\r?\n)+/gim,
    (group) => {
      const fields = group.match(/^\S.*(?:\r?\n[ \t].*)*\r?\n/gm) ?? []
      return fields.reverse().join('')
    },
  )
}

/** The fields Status keep theirs. */
function withoutCodes(mail: string): string {
  return inBody(mail, (line) => (/^Status:/i.test(line) ? line : line.replace(/#?\b[45]\.\d\.\d{1,3}\b[ -]?/g, '')))
}

const QUOTATION = `On Monday Zoe wrote:
> Hello Bob,
> please write to zoe@elsewhere.test, or to <yan@elsewhere.test>:
> they are there all day.

`
const DISCLAIMER = `CAUTION: This is an automatic message from outside of the organization. Do not reply to it.
Questions: help@elsewhere.test

`

/** Before the first text. */
function inFront(mail: string, lines: string): string {
  const [header, body] = split(mail)
  const end = header.includes('\r\n') ? lines.replaceAll('\n', '\r\n') : lines
  if (/^content-transfer-encoding:\s*base64/im.test(header)) return mail
  if (!/^content-type:\s*multipart/im.test(header)) return header + end + body
  const part = /^--.*\r?\n(?:content-[\w-]+:.*\r?\n(?:[ \t].*\r?\n)*)*\r?\n/im.exec(body)
  if (!part || /base64|message\/|multipart\//i.test(part[0])) return mail
  const at = part.index + part[0].length
  return header + body.slice(0, at) + end + body.slice(at)
}

function withoutParts(mail: string, type: RegExp): string {
  const boundary = /boundary="?([^"\r\n;]+)/i.exec(split(mail)[0])?.[1]
  if (boundary === undefined) return mail
  return mail
    .split(`--${boundary}`)
    .filter(
      (part, i) => i === 0 || !type.test(/^content-type:.*/im.exec(split(part.replace(/^\r?\n/, ''))[0])?.[0] ?? ''),
    )
    .join(`--${boundary}`)
}

/** Words of another mail system. */
function anotherHeader(mail: string): string {
  const [header, body] = split(mail)
  const changed = header
    .replace(/^From:.*(\r?\n[ \t].*)*/im, 'From: Mail System <mailer-daemon@relay.test>')
    .replace(/^Subject:.*(\r?\n[ \t].*)*/im, 'Subject: Undeliverable mail')
  return changed + body
}

/** The text of replies. */
function capitals(mail: string): string {
  return inBody(mail, (line) =>
    line.replace(
      /(\b[45]\d\d[ -](?:[45]\.\d\.\d{1,3} )?)([^=<>@]{8,})$/,
      (_, code: string, text: string) => code + text.toUpperCase(),
    ),
  )
}

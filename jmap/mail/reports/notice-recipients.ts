/** Recipients that a notice in words names, each with the text about it. Pure, and total. */
import { REPORT_DIAGNOSIS_CHARS, REPORT_RECIPIENTS_MAX } from '../../../server/base/report-limits.ts'

export interface NamedRecipient {
  readonly address: string
  /** The original address, if the notice names it. */
  readonly sentTo: string | null
  /** The lines about it; '' if there are none. */
  readonly diagnosis: string
}

/** Bounded parts, so that it takes linear time. */
const ADDRESS = /[^\s<>"'`()[\]{},;:|\\=@]{1,128}@[a-z0-9_](?:[a-z0-9_.-]{0,252}[a-z0-9_])?/i
const ALL_ADDRESSES = new RegExp(ADDRESS, 'gi')
const A = ADDRESS.source

/** Lines about a recipient, the clearest kind first: only the first kind that is found counts. */
const KINDS: readonly (readonly RegExp[])[] = [
  [
    // qmail, Postfix, Courier, sendmail: <address>: text
    new RegExp(`^\\s{0,12}<(?:smtp:)?(${A})>\\s*(?::|\\.\\.\\.|;|,|\\(|-|$)`, 'i'),
    // Exim, Gmail and others: the address alone, or followed by its diagnosis.
    new RegExp(
      `^[\\s*>-]{0,24}["'\`]?(${A})["'\`]?(?:\\s*<mailto:[^>]*>|\\s*<[^>]*>)?[\\s*]*(?::|\\.\\.\\.|$|-{1,4}\\s|\\()`,
      'i',
    ),
    new RegExp(`^\\s*[2-5]\\d\\d[ -](?:[245]\\.\\d{1,3}\\.\\d{1,3} )?<?(${A})>?(?:\\.\\.\\.|:|,|;|\\s)`, 'i'),
  ],
  [
    new RegExp(
      `^[\\s*>-]{0,24}(?:failed |final |original |intended |invalid |unknown )?(?:recipients?|rcpt to|delivery to|addressed to|address|to|e-?mail|user|mailbox|undeliverable(?: address)?|could not deliver (?:mail |message )?to|unable to deliver(?: mail| message)? to|failed to deliver to|failed addresses follow)\\b[^@<:]{0,60}[:\\s<("'\`]+(?:rfc822;\\s*)?(${A})`,
      'i',
    ),
    new RegExp(`(?:rcpt to|recipient)[:\\s]{1,3}<(${A})>`, 'i'),
    new RegExp(`^\\s*(?:\\d+[.)]\\s+)?["'\`<]?(${A})["'\`>]?(?:\\s|,|;|$)`, 'i'),
    new RegExp(`\\((${A})\\)`, 'i'),
  ],
  [new RegExp(`<(${A})>`, 'i')],
  [new RegExp(`(${A})`, 'i')],
]

/** Fields and words before addresses that are not recipients. */
const NOT_RECIPIENT =
  /^\s*(?:from|sender|reply-to|return-path|message-id|in-reply-to|references|subject|cc|received|x-[\w-]+|mail from|>>> mail)\s*[:<]|\bmail from:|please (?:contact|e-?mail|send)|for (?:help|assistance|further|more)|if you (?:need|have|believe|feel)|contact\b|mailto:(?!.*<)|postmaster@|abuse@|\bmailer-daemon@|sender(?: address)?[ :]+<|^\s*id\b/i

/**
 * @param expected whether an address may be a recipient: the reporter's and the sender's may not
 * @param sentTo recipients of the returned message, in lower case; they are preferred
 */
export function namedRecipients(
  notice: readonly string[],
  expected: (address: string) => boolean,
  sentTo: ReadonlySet<string>,
): NamedRecipient[] {
  const heading = notice.findIndex((line) => HEADING.test(line))
  const below = heading < 0 ? [] : recipientsIn(notice.slice(heading + 1), expected, sentTo)
  return below.length > 0 ? below : recipientsIn(notice, expected, sentTo)
}

/** The text above it may name the recipient of the message. */
const HEADING =
  /(?:following|these|intended) (?:recipient|address|user|mailbox|person)[^@]*$|(?:recipient|address)(?:s|es|\(s\)|\(es\))? (?:failed|could not|had|did not)[^@]*$|failed addresses follow/i

function recipientsIn(
  notice: readonly string[],
  expected: (address: string) => boolean,
  sentTo: ReadonlySet<string>,
): NamedRecipient[] {
  for (const patterns of KINDS) {
    const marks = notice.flatMap((line, at) => {
      if (NOT_RECIPIENT.test(line) && !/rcpt to:/i.test(line)) return []
      const address = firstMatch(patterns, line)
      return address !== null && expected(address) ? [{ address, at }] : []
    })
    if (marks.length > 0) return described(notice, marks)
  }
  // The address is inside a sentence that was skipped.
  const all = notice.join('\n').match(ALL_ADDRESSES) ?? []
  const known = [...new Set(all.map((address) => address.toLowerCase()))].filter((address) => sentTo.has(address))
  return known.filter(expected).map((address) => ({ address, sentTo: null, diagnosis: '' }))
}

function firstMatch(patterns: readonly RegExp[], line: string): string | null {
  for (const pattern of patterns) {
    const address = pattern.exec(line)?.[1]
    if (address !== undefined) return address.replace(/[.]+$/, '')
  }
  return null
}

interface Mark {
  readonly address: string
  readonly at: number
}

/** The lines from one recipient to the next belong to the first. */
function described(notice: readonly string[], marks: readonly Mark[]): NamedRecipient[] {
  const found = new Map<string, { address: string; lines: string[] }>()
  for (const [i, { address, at }] of marks.entries()) {
    const key = address.toLowerCase()
    const one = found.get(key) ?? { address, lines: [] }
    if (found.size < REPORT_RECIPIENTS_MAX) found.set(key, one)
    one.lines.push(...notice.slice(at, marks[i + 1]?.at))
  }
  return [...found.values()].map(({ address, lines }) => ({
    address,
    // sendmail: the address that the message was sent to.
    sentTo: /expanded from: <?([^\s<>()]+@[^\s<>()]+)>?\)/.exec(lines.slice(0, 4).join(' '))?.[1] ?? null,
    diagnosis: lines.join(' ').replace(/\s+/g, ' ').slice(0, REPORT_DIAGNOSIS_CHARS),
  }))
}

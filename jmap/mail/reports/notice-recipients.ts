/** Recipients that a notice in words names, each with what it says about them. Pure, and total. */
import { REPORT_DIAGNOSIS_CHARS, REPORT_RECIPIENTS_MAX } from '../../../server/base/report-limits.ts'

export interface NamedRecipient {
  readonly address: string
  /** What it stands for, when the notice says so. */
  readonly sentTo: string | null
  /** The lines about it; '' when there are none of its own. */
  readonly diagnosis: string
}

/** Bounded in its parts, so that it takes linear time. */
const ADDRESS = /[^\s<>"'`()[\]{},;:|\\=@]{1,128}@[a-z0-9_](?:[a-z0-9_.-]{0,252}[a-z0-9_])?/i
const ALL_ADDRESSES = new RegExp(ADDRESS, 'gi')
const A = ADDRESS.source

/** Lines that are about a recipient, the clearest kind first: only the first kind that is found counts. */
const KINDS: readonly (readonly RegExp[])[] = [
  [
    // qmail, Postfix, Courier, sendmail: <address>: text
    new RegExp(`^\\s{0,12}<(?:smtp:)?(${A})>\\s*(?::|\\.\\.\\.|;|,|\\(|-|$)`, 'i'),
    // Exim, Gmail and others: the address alone, or with its diagnosis behind it.
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

/** Fields and words around addresses that are not those of recipients. */
const NOT_RECIPIENT =
  /^\s*(?:from|sender|reply-to|return-path|message-id|in-reply-to|references|subject|cc|received|x-[\w-]+|mail from|>>> mail)\s*[:<]|\bmail from:|please (?:contact|e-?mail|send)|for (?:help|assistance|further|more)|if you (?:need|have|believe|feel)|contact\b|mailto:(?!.*<)|postmaster@|abuse@|\bmailer-daemon@|sender(?: address)?[ :]+<|^\s*id\b/i

/**
 * @param expected whether an address may be one: those of who reports and of the sender may not
 * @param sentTo recipients of the message that came back, in lower case; they are preferred
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

/** Above it may stand whom the message was sent to. */
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
  // Named in the middle of a sentence that was passed over.
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

/** To each recipient belong the lines from where it stands up to the next one's. */
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

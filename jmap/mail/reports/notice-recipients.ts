/** Recipients that a notice in words names, each with the text about it. Pure, and total. */
import { REPORT_DIAGNOSIS_CHARS, REPORT_RECIPIENTS_MAX } from '../../../server/base/report-limits.ts'
import { type BounceRules, someMatch } from './rules/all.ts'
import { ADDRESS } from './rules/recipients.ts'
import type { Rule } from './rules/rule.ts'

export interface NamedRecipient {
  readonly address: string
  /** The original address, if the notice names it. */
  readonly sentTo: string | null
  /** The lines about it; '' if there are none. */
  readonly diagnosis: string
}

const ALL_ADDRESSES = new RegExp(ADDRESS, 'gi')

/**
 * @param expected whether an address may be a recipient: the reporter's and the sender's may not
 * @param sentTo recipients of the returned message, in lower case; they are preferred
 */
export function namedRecipients(
  notice: readonly string[],
  expected: (address: string) => boolean,
  sentTo: ReadonlySet<string>,
  rules: BounceRules,
): NamedRecipient[] {
  const heading = notice.findIndex((line) => someMatch(rules.headings, line))
  const below = heading < 0 ? [] : recipientsIn(notice.slice(heading + 1), expected, sentTo, rules)
  return below.length > 0 ? below : recipientsIn(notice, expected, sentTo, rules)
}

/** Kinds of lines that name recipients only. */
const CERTAIN_KINDS = 2

function recipientsIn(
  notice: readonly string[],
  expected: (address: string) => boolean,
  sentTo: ReadonlySet<string>,
  rules: BounceRules,
): NamedRecipient[] {
  for (const [certainty, kind] of rules.recipientLines.entries()) {
    const marks = notice.flatMap((line, at) => {
      if (!line.includes('@')) return []
      if (someMatch(rules.notRecipient, line) && !/rcpt to:/i.test(line)) return []
      const address = firstMatch(kind, line)
      return address !== null && expected(address) ? [{ address, at }] : []
    })
    if (marks.length === 0) continue
    // An address anywhere in a line may be that of a helper: then those that the message was sent to count.
    const sure = certainty < CERTAIN_KINDS ? [] : marks.filter(({ address }) => sentTo.has(address.toLowerCase()))
    return described(notice, sure.length > 0 ? sure : marks)
  }
  // The address is inside a sentence that was skipped.
  const all = notice.flatMap((line) => (line.includes('@') ? (line.match(ALL_ADDRESSES) ?? []) : []))
  const known = [...new Set(all.map((address) => address.toLowerCase()))].filter((address) => sentTo.has(address))
  return known.filter(expected).map((address) => ({ address, sentTo: null, diagnosis: '' }))
}

function firstMatch(rules: readonly Rule[], line: string): string | null {
  for (const { words } of rules) {
    const address = words.exec(line)?.[1]
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
    sentTo: /expanded from:? <?([^\s<>()]+@[^\s<>()]+)>?\)/.exec(lines.slice(0, 4).join(' '))?.[1] ?? null,
    diagnosis: lines.join(' ').replace(/\s+/g, ' ').slice(0, REPORT_DIAGNOSIS_CHARS),
  }))
}

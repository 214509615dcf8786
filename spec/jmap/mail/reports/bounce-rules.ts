/** Which rules match which open samples, and what remains without those that only one family of samples needs. */
import { readBounce } from '../../../../jmap/mail/reports/bounce.ts'
import { BOUNCE_RULES, type BounceRules } from '../../../../jmap/mail/reports/rules/all.ts'
import type { Rule } from '../../../../jmap/mail/reports/rules/rule.ts'
import { readSections } from '../../../../jmap/mail/reports/sections.ts'
import { parseMessage } from '../../../../jmap/message/structure.ts'
import { type Figures, measureBounces, openBounces, type Sample } from './bounce-corpora.ts'

/** A line of spec/bounce-rules.tsv. */
export interface RuleRow {
  /** What it is for. */
  readonly part: string
  readonly rule: Rule
  /** Names of the open mails that it matches. */
  readonly files: ReadonlySet<string>
}

/** Without the folder: a mail with other line ends is the same mail. */
const nameOf = (name: string): string => name.replace(/^.*\//, '')
/** The system that wrote the mail, as far as its name says. */
export const familyOf = (name: string): string => nameOf(name).replace(/[-_]\d+$/, '')

type Part = Exclude<keyof BounceRules, 'recipientLines' | 'reasons'>
const PARTS: readonly Part[] = [
  'daemons',
  'subjects',
  'rareWords',
  'failures',
  'delays',
  'givenUp',
  'headings',
  'notRecipient',
]

export function ruleRows(samples: readonly Sample[] = openBounces()): RuleRow[] {
  const rows = [
    ...PARTS.flatMap((part) => BOUNCE_RULES[part].map((rule) => ({ part, rule, files: new Set<string>() }))),
    ...BOUNCE_RULES.recipientLines.flat().map((rule) => ({ part: 'recipient', rule, files: new Set<string>() })),
    ...BOUNCE_RULES.reasons.map((rule) => ({ part: rule.reason, rule, files: new Set<string>() })),
  ]
  for (const { name, bytes } of samples) {
    const texts = textsOf(bytes)
    for (const { part, rule, files } of rows)
      if (texts(part).some((text) => rule.words.test(text))) files.add(nameOf(name))
  }
  return rows
}

/** The texts on which the rules of a part are tried. */
function textsOf(bytes: Buffer): (part: string) => readonly string[] {
  const parsed = parseMessage(bytes)
  const { notice } = readSections(bytes, parsed)
  const senders = [...(parsed.from ?? []), ...(parsed.sender ?? [])].map(({ name, email }) => `${name ?? ''} ${email}`)
  const subject = parsed.subject ?? ''
  const diagnoses = (readBounce(bytes, parsed)?.recipients ?? []).map(({ diagnosis }) => diagnosis)
  const whole = notice.join(' ')
  return (part) => {
    if (part === 'daemons') return senders
    if (part === 'subjects') return [subject]
    if (part === 'headings' || part === 'notRecipient' || part === 'recipient') return notice
    if (part === 'delays' || part === 'givenUp') return [`${subject} ${whole}`]
    if (part === 'rareWords' || part === 'failures') return [notice.join('\n')]
    return [...diagnoses, whole]
  }
}

export function asTable(rows: readonly RuleRow[]): string {
  const lines = rows.map(({ part, rule, files }) => [part, rule.name, rule.source, files.size].join('\t'))
  return `${['part\trule\tsource\topen files', ...lines].join('\n')}\n`
}

/** All rules except some. */
export function rulesWithout(left: ReadonlySet<Rule>): BounceRules {
  const kept = <R extends Rule>(rules: readonly R[]) => rules.filter((rule) => !left.has(rule))
  return {
    daemons: kept(BOUNCE_RULES.daemons),
    subjects: kept(BOUNCE_RULES.subjects),
    rareWords: kept(BOUNCE_RULES.rareWords),
    failures: kept(BOUNCE_RULES.failures),
    delays: kept(BOUNCE_RULES.delays),
    givenUp: kept(BOUNCE_RULES.givenUp),
    headings: kept(BOUNCE_RULES.headings),
    notRecipient: kept(BOUNCE_RULES.notRecipient),
    recipientLines: BOUNCE_RULES.recipientLines.map(kept),
    reasons: kept(BOUNCE_RULES.reasons),
  }
}

/** Each family without the rules that match no other one: a system that was never seen. */
export function measureUnseen(samples: readonly Sample[] = openBounces()): Figures[] {
  const rows = ruleRows(samples)
  return [...new Set(samples.map(({ name }) => familyOf(name)))].map((family) => {
    const own = rows.filter(({ files }) => files.size > 0 && [...files].every((name) => familyOf(name) === family))
    const rules = rulesWithout(new Set(own.map(({ rule }) => rule)))
    return measureBounces({ rules, only: (name) => familyOf(name) === family })
  })
}

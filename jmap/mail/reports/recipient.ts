/** What a report says of one recipient, brought into one form. Pure. */
import { REPORT_DIAGNOSIS_CHARS, REPORT_WORDS_CHARS } from '../../../server/base/report-limits.ts'
import { type BounceClass, type BounceReason, classOf, reasonInWords, reasonOf } from './reason.ts'
import { statusIn } from './status-groups.ts'

/** RFC 3464 2.3.3 */
export type ReportAction = 'failed' | 'delayed' | 'delivered' | 'relayed' | 'expanded'

export interface BouncedRecipient {
  /** Original-Recipient and Final-Recipient, or what the notice calls it. At least one. */
  readonly addresses: readonly string[]
  /** Whether the report names it; else it is whom the message was sent to. */
  readonly isNamed: boolean
  readonly action: ReportAction
  /** RFC 3463, such as `5.1.1`. */
  readonly status: string | null
  /** Reply code of SMTP. */
  readonly code: number | null
  /** null for what did not fail. */
  readonly reason: BounceReason | null
  readonly class: BounceClass | null
  /** What was said about it, in one line; '' when nothing was. */
  readonly diagnosis: string
}

const ACTIONS: ReadonlySet<string> = new Set(['failed', 'delayed', 'delivered', 'relayed', 'expanded'])

/** RFC 3464 2.3.3. Postfix says `deliverable` of an address that it was only to try: that it was delivered is not said. */
export function toAction(text: string, status: string | null): ReportAction {
  const word = /^[a-z]+/.exec(text.trim().toLowerCase())?.[0] ?? ''
  if (ACTIONS.has(word)) return word as ReportAction
  return status?.startsWith('2') ? 'relayed' : 'failed'
}

export function describe(
  said: Pick<BouncedRecipient, 'addresses' | 'isNamed' | 'action' | 'status' | 'diagnosis'>,
  words: NoticeWords,
): BouncedRecipient {
  const diagnosis = said.diagnosis.replace(/\s+/g, ' ').trim().slice(0, REPORT_DIAGNOSIS_CHARS)
  const isFailure = said.action === 'failed' || said.action === 'delayed'
  // A vague code of the reporting server says less than that of the one which refused.
  const isVague = said.status === null || said.status.endsWith('.0.0')
  const status = isVague ? (statusIn(diagnosis) ?? said.status) : said.status
  const isDelayed = said.action === 'delayed'
  const reason = isFailure ? reasonOf({ status, diagnosis, notice: words, isDelayed }) : null
  return {
    ...said,
    status,
    code: Number(/(?:^|[\s:;(>])([245]\d\d)(?=[\s-])/.exec(diagnosis)?.[1] ?? '') || null,
    reason,
    // What is tried again is not given up, whatever the reason.
    class: reason === null ? null : isDelayed && classOf(reason) === 'hard' ? 'soft' : classOf(reason),
    diagnosis,
  }
}

/** What an SMTP server said, from the code on; null when none did. */
export function replyIn({ diagnosis, code }: Pick<BouncedRecipient, 'diagnosis' | 'code'>): string | null {
  return code === null ? null : diagnosis.slice(diagnosis.indexOf(String(code)))
}

/** Begins what is said of another recipient. */
const OTHER = /^\s*<?[^\s<>@]{1,128}@[^\s<>@]{1,255}>?:/
/** Lines that belong to an address in front of them. */
const LINES_ABOUT = 8
/** Recipients that are looked up in the words. */
const LOOKED_UP_MAX = 100

/** The words of a notice; what is asked of them is found out once for all recipients. */
export class NoticeWords {
  readonly text: string
  readonly #lines: readonly string[]
  #lower: readonly string[] | null = null
  #asked = 0
  #reason: BounceReason | null | undefined

  constructor(notice: readonly string[]) {
    this.#lines = notice
    this.text = notice.join(' ').slice(0, REPORT_WORDS_CHARS)
  }

  get reason(): BounceReason | null {
    if (this.#reason === undefined) this.#reason = reasonInWords(this.text)
    return this.#reason
  }

  /** Lines that name a recipient, and those after them up to the next one. */
  about(addresses: readonly string[]): string {
    // What many share, nobody reads for each of them.
    if (this.#asked++ >= LOOKED_UP_MAX) return ''
    this.#lower ??= this.#lines.map((line) => line.toLowerCase())
    const names = addresses.map((address) => address.toLowerCase())
    const isNamed = (line: string) => names.some((name) => line.includes(name))
    const at = this.#lower.findIndex(isNamed)
    if (at < 0) return ''
    const rest = this.#lower.slice(at, at + LINES_ABOUT)
    const end = rest.findIndex((line, i) => i > 0 && OTHER.test(line) && !isNamed(line))
    return this.#lines.slice(at, at + (end < 0 ? rest.length : end)).join(' ')
  }
}

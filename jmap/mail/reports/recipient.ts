/** A report's statement about one recipient, in one form. Pure. */
import { isOneOf } from '../../../server/base/known-names.ts'
import { REPORT_DIAGNOSIS_CHARS, REPORT_WORDS_CHARS } from '../../../server/base/report-limits.ts'
import { type BounceClass, type BounceReason, classOf, reasonInWords, reasonOf } from './reason.ts'
import type { BounceRules } from './rules/all.ts'
import { type SmtpStage, stageIn } from './smtp-stage.ts'
import { statusIn } from './status-groups.ts'

/** RFC 3464 2.3.3 */
export type ReportAction = 'failed' | 'delayed' | 'delivered' | 'relayed' | 'expanded'

export interface BouncedRecipient {
  /** Original-Recipient and Final-Recipient, or the address in the notice. At least one. */
  readonly addresses: readonly string[]
  /** Whether the report names it; otherwise it is a recipient of the message. */
  readonly isNamed: boolean
  readonly action: ReportAction
  /** RFC 3463, such as `5.1.1`. */
  readonly status: string | null
  /** Reply code of SMTP. */
  readonly code: number | null
  /** null: no failure. */
  readonly reason: BounceReason | null
  readonly class: BounceClass | null
  /** The words about it, in one line; '' if there are none. */
  readonly diagnosis: string
}

const ACTIONS = ['failed', 'delayed', 'delivered', 'relayed', 'expanded'] as const

/** RFC 3464 2.3.3. Postfix reports `deliverable` for an address that it only verified; that is not a delivery. */
export function toAction(text: string, status: string | null): ReportAction {
  const word = /^[a-z]+/.exec(text.trim().toLowerCase())?.[0] ?? ''
  if (isOneOf(ACTIONS, word)) return word
  return status?.startsWith('2') ? 'relayed' : 'failed'
}

export function describe(
  said: Pick<BouncedRecipient, 'addresses' | 'isNamed' | 'action' | 'status' | 'diagnosis'>,
  words: NoticeWords,
): BouncedRecipient {
  const diagnosis = said.diagnosis.replace(/\s+/g, ' ').trim().slice(0, REPORT_DIAGNOSIS_CHARS)
  const isFailure = said.action === 'failed' || said.action === 'delayed'
  // RFC 2034 4: the code of the refusing server is more certain than that of the reporting server, which may follow from the reply code.
  const told = statusIn(diagnosis)
  const isVague = said.status === null || said.status.endsWith('.0.0')
  const status = told !== null && (isVague || !told.endsWith('.0.0')) ? told : said.status
  const isDelayed = said.action === 'delayed'
  const code = Number(/(?:^|[\s:;(>])([245]\d\d)(?=[\s-])/.exec(diagnosis)?.[1] ?? '') || null
  const reason = isFailure ? reasonOf({ status, code, diagnosis, notice: words, isDelayed }, words.rules) : null
  return {
    ...said,
    status,
    code,
    reason,
    // A recipient that is retried has not failed permanently, whatever the reason.
    class: reason === null ? null : isDelayed && classOf(reason) === 'hard' ? 'soft' : classOf(reason),
    diagnosis,
  }
}

/** An SMTP server's reply, from the code on; null: there was none. */
export function replyIn({ diagnosis, code }: Pick<BouncedRecipient, 'diagnosis' | 'code'>): string | null {
  return code === null ? null : diagnosis.slice(diagnosis.indexOf(String(code)))
}

/** The start of a statement about another recipient. */
const OTHER = /^\s*<?[^\s<>@]{1,128}@[^\s<>@]{1,255}>?\s*(?::|$)/
/** Lines that belong to an address before them. */
const LINES_ABOUT = 8
/** Recipients that are searched in the words. */
const LOOKED_UP_MAX = 100

/** The words of a notice; each result is computed once for all recipients. */
export class NoticeWords {
  readonly text: string
  readonly rules: BounceRules
  readonly #lines: readonly string[]
  #lower: readonly string[] | null = null
  #asked = 0
  #reason: BounceReason | null | undefined
  #stage: SmtpStage | null | undefined

  constructor(notice: readonly string[], rules: BounceRules) {
    this.rules = rules
    this.#lines = notice
    this.text = notice.join(' ').replace(/\s+/g, ' ').slice(0, REPORT_WORDS_CHARS)
  }

  get reason(): BounceReason | null {
    if (this.#reason === undefined) this.#reason = reasonInWords(this.text, this.rules)
    return this.#reason
  }

  get stage(): SmtpStage | null {
    if (this.#stage === undefined) this.#stage = stageIn(this.text)
    return this.#stage
  }

  /** Lines that name a recipient, with those after them up to the next recipient. */
  about(addresses: readonly string[]): string {
    // With many recipients the words are not searched for each.
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

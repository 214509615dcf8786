/**
 * When letters about the expiry of a bought domain are due: rows of the kind `letters` in the queue of work, one for each domain. They are
 * written by jmap/notices/expiry-letters.ts, which decides by what the order and the domain are then.
 */
import {
  RENEWAL_ANNOUNCED_MS,
  RENEWAL_BEFORE_MS,
  RENEWAL_LETTER_DAYS,
} from '../../../server/base/registration-limits.ts'
import type { AccountUnit } from '../../../storage/ports.ts'
import { replaceWork, updateWork } from '../../../storage/repos/domain-works.ts'

/** `renewal`: it will be renewed and charged. The others: it is not renewed so many days before its expiry. */
export type ExpiryLetter = 'renewal' | (typeof RENEWAL_LETTER_DAYS)[number]

/** Of one term: a renewal begins another. */
export interface LetterRow {
  /** Epoch ms. */
  readonly expiresAt: number
  readonly sent: readonly ExpiryLetter[]
}

/** Inside the unit of work that keeps a new expiry. */
export async function planLetters(unit: AccountUnit, domain: number, name: string, expiresAt: number): Promise<void> {
  const row: LetterRow = { expiresAt, sent: [] }
  const due = { due_at: Math.max(unit.now, expiresAt - RENEWAL_ANNOUNCED_MS) }
  await replaceWork(unit, { domain, kind: 'letters', name, step: 'wait', data: JSON.stringify(row), ...due })
}

/** Inside a unit of work that changes what the letters say: a renewal has failed, or was switched on or off. */
export function reviewLetters(unit: AccountUnit, domain: number): Promise<void> {
  return updateWork(unit, domain, 'letters', { due_at: unit.now })
}

export interface LetterSituation extends LetterRow {
  readonly autoRenew: boolean
  /** An attempt at the renewal has failed. */
  readonly hasFailed: boolean
  readonly now: number
}

const DAY_MS = 86_400_000

/**
 * The letter that is due, and when to look again; null: after a change. After a long stop only the latest is written. A renewal that neither
 * succeeds nor fails, because the registrar does not answer, is one that fails from the second letter on. Pure.
 */
export function dueLetter({ expiresAt, sent, autoRenew, hasFailed, now }: LetterSituation): {
  readonly letter: ExpiryLetter | null
  readonly dueAt: number | null
} {
  const timeOf = (days: number) => expiresAt - days * DAY_MS
  const isRenewing = autoRenew && !hasFailed && now < timeOf(RENEWAL_LETTER_DAYS[1])
  if (isRenewing) {
    const announcedAt = expiresAt - RENEWAL_ANNOUNCED_MS
    if (now < announcedAt) return { letter: null, dueAt: announcedAt }
    const isAhead = now < expiresAt - RENEWAL_BEFORE_MS && !sent.includes('renewal')
    return { letter: isAhead ? 'renewal' : null, dueAt: timeOf(RENEWAL_LETTER_DAYS[1]) }
  }
  const reached = RENEWAL_LETTER_DAYS.findLast((days) => timeOf(days) <= now)
  const next = RENEWAL_LETTER_DAYS.find((days) => timeOf(days) > now)
  const isNew = reached !== undefined && !sent.includes(reached)
  return { letter: isNew ? reached : null, dueAt: next === undefined ? null : timeOf(next) }
}

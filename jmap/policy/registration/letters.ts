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

/** Of a time. `renewal`: it will be renewed and charged. The others: it is not renewed so many days before its expiry. */
export type TimedLetter = 'renewal' | (typeof RENEWAL_LETTER_DAYS)[number]
/** `unmet`: the registrar did not add years, whenever that is found out. */
export type ExpiryLetter = TimedLetter | 'unmet'

/** Of one term: a renewal begins another. */
export interface LetterRow {
  /** Epoch ms. */
  readonly expiresAt: number
  readonly sent: readonly TimedLetter[]
  /** Since when the years were unmet that the last letter of that kind was about; absent: there was none. */
  readonly unmetTold?: number
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
  /** Since when the registrar has not added years that were paid back; null: there are none. */
  readonly unmetSince: number | null
  readonly now: number
}

export interface DueLetter {
  readonly letter: ExpiryLetter | null
  /** When to look again; null: after a change. */
  readonly dueAt: number | null
  /** What the row has when it is sent. */
  readonly after: LetterRow
}

/** Pure. A letter about years that were not added stands for the one whose time has come. */
export function dueLetter(situation: LetterSituation): DueLetter {
  const { expiresAt, sent, unmetSince, unmetTold } = situation
  const { letter: timed, dueAt } = timedLetter(situation)
  const isUnmet = unmetSince !== null && unmetSince !== unmetTold
  const told = unmetSince ?? unmetTold
  const after: LetterRow = {
    expiresAt,
    sent: timed === null ? sent : [...sent, timed],
    ...(told !== undefined && { unmetTold: told }),
  }
  return { letter: isUnmet ? 'unmet' : timed, dueAt, after }
}

const DAY_MS = 86_400_000

/**
 * The letter whose time has come, and when to look again; null: after a change. After a long stop only the latest is written. A renewal that neither
 * succeeds nor fails, because the registrar does not answer, is one that fails from the second letter on. Pure.
 */
function timedLetter({ expiresAt, sent, autoRenew, hasFailed, now }: LetterSituation): {
  readonly letter: TimedLetter | null
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

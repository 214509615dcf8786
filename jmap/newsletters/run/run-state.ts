/** The state of a newsletter that is being sent: its counts, and the moves that follow from them (decision D19). */
import type { IdCodec } from '../../../server/base/ids.ts'
import { BOUNCE_WAVE_LEAST, BOUNCE_WAVE_RATE, BOUNCE_WAVE_RECIPIENTS } from '../../../server/base/newsletter-limits.ts'
import type { AccountUnit } from '../../../storage/ports.ts'
import {
  deleteTemplate,
  findRuns,
  keepCounts,
  type RunCounts,
  updateRun,
} from '../../../storage/repos/newsletter-runs.ts'
import { findNewsletters, updateNewsletter } from '../../../storage/repos/newsletters.ts'
import type { NewsletterRunTable, NewsletterTable } from '../../../storage/schema/tables.ts'
import { appendEvent } from '../../events/append.ts'
import type { EventType } from '../../events/event-types.ts'
import { formatUTCDate } from '../../protocol/primitives.ts'
import { Audience } from '../audience/audience.type.ts'
import { Newsletter, type NewsletterObject } from '../newsletter/newsletter.type.ts'
import { type NewsletterSettings, settingsOf } from '../newsletter/stored-newsletter.ts'

export type PausedReason =
  | 'preflight_failed'
  | 'reputation_throttled'
  | 'reputation_suspended'
  | 'quota'
  | 'domain_degraded'
  | 'bounce_wave'

/** How many more (or fewer) recipients are in each state. */
export type CountChanges = {
  -readonly [K in 'waiting' | 'queued' | 'delivered' | 'bounced' | 'skipped' | 'complained' | 'unsubscribed']?: number
}

export type Stats = NewsletterObject['stats']

/** Of a newsletter that nobody is being sent. */
export const NO_STATS: Stats = {
  recipients: 0,
  sent: 0,
  delivered: 0,
  bounced: 0,
  complained: 0,
  unsubscribed: 0,
  remaining: 0,
}

type Counts = Pick<NewsletterRunTable, 'waiting' | 'queued' | 'delivered' | 'bounced' | 'complained' | 'unsubscribed'>

/**
 * Decision D19. `recipients` = `sent` + `remaining`: those who were skipped are none. `sent` = `delivered` + `bounced`: a server took the
 * message or refused it.
 */
export function statsOf({ waiting, queued, delivered, bounced, complained, unsubscribed }: Counts): Stats {
  const sent = delivered + bounced
  const remaining = waiting + queued
  return { recipients: sent + remaining, sent, delivered, bounced, complained, unsubscribed, remaining }
}

/** Inside the organization's unit of work: what an attempt, a report or a choice of recipients has changed. */
export class RunChanges {
  readonly #unit: AccountUnit
  readonly #ids: IdCodec
  readonly #changes = new Map<number, { counts: CountChanges; finished: string }>()

  constructor(unit: AccountUnit, ids: IdCodec) {
    this.#unit = unit
    this.#ids = ids
  }

  add(newsletter: number, counts: CountChanges): void {
    const sum = this.#of(newsletter).counts
    for (const [name, change] of Object.entries(counts)) {
      const key = name as keyof CountChanges
      sum[key] = (sum[key] ?? 0) + change
    }
  }

  /** A recipient is finished, for the wave of bounces. */
  finished(newsletter: number, isHardBounce: boolean): void {
    this.#of(newsletter).finished += isHardBounce ? 'b' : '.'
  }

  /** Called once, at the end: keeps the counts, and ends or pauses newsletters that have come so far. */
  async keep(): Promise<void> {
    const unit = this.#unit
    const numbers = [...this.#changes.keys()]
    if (numbers.length === 0) return
    const runs = (await findRuns(unit, unit.account, numbers)).map((run) => this.#changed(run))
    await keepCounts(unit, runs.map(countsOf))
    const rows = new Map((await findNewsletters(unit, unit.account, numbers)).map((row) => [row.id, row]))
    for (const run of runs) {
      unit.change(Newsletter.name, run.newsletter, 'u', ['stats'])
      const row = rows.get(run.newsletter)
      if (row?.status !== 'sending' && row?.status !== 'paused') continue
      if (run.step === 'send' && run.waiting + run.queued === 0) await finishNewsletter(unit, this.#ids, row, run)
      else if (row.status === 'sending' && isBounceWave(run.recent))
        await pauseNewsletter(unit, this.#ids, row, run, 'bounce_wave')
    }
  }

  #changed(run: NewsletterRunTable): NewsletterRunTable {
    const { counts, finished } = this.#of(run.newsletter)
    const sums: { [name: string]: number } = {}
    for (const [name, change] of Object.entries(counts)) sums[name] = run[name as keyof CountChanges] + change
    const recent = `${run.recent}${finished}`.slice(-BOUNCE_WAVE_RECIPIENTS)
    // Those who wait again have not used the pace of this hour.
    const hour_queued = Math.max(0, run.hour_queued - (counts.waiting ?? 0))
    return { ...run, ...sums, recent, hour_queued }
  }

  #of(newsletter: number) {
    const known = this.#changes.get(newsletter) ?? { counts: {}, finished: '' }
    this.#changes.set(newsletter, known)
    return known
  }
}

function countsOf(run: NewsletterRunTable): RunCounts {
  const { newsletter, waiting, queued, delivered, bounced, skipped, complained, unsubscribed, hour_queued, recent } =
    run
  return { newsletter, waiting, queued, delivered, bounced, skipped, complained, unsubscribed, hour_queued, recent }
}

/** Decision D31. @param recent as in the column */
function isBounceWave(recent: string): boolean {
  if (recent.length < BOUNCE_WAVE_LEAST) return false
  let bounces = 0
  for (const one of recent) if (one === 'b') bounces++
  return bounces >= recent.length * BOUNCE_WAVE_RATE
}

/** All is done. */
export async function finishNewsletter(
  unit: AccountUnit,
  ids: IdCodec,
  row: NewsletterTable,
  run: NewsletterRunTable,
): Promise<void> {
  const completedAt = formatUTCDate(unit.now)
  await moveNewsletter(unit, row, 'sent', { completedAt, pausedReason: null })
  await updateRun(unit, row.id, { due_at: null, lease: null, lease_until: 0 })
  await deleteTemplate(unit, row.id)
  await tell(unit, ids, 'newsletter.sent', { ...row, status: 'sent' }, run, null)
}

/** Messages in the queue stay there; they are not sent while it is paused. */
export async function pauseNewsletter(
  unit: AccountUnit,
  ids: IdCodec,
  row: NewsletterTable,
  run: NewsletterRunTable,
  reason: PausedReason,
): Promise<void> {
  await moveNewsletter(unit, row, 'paused', { pausedReason: reason })
  // What bounced before it was resumed does not count again.
  await updateRun(unit, row.id, { due_at: null, lease: null, lease_until: 0, recent: '' })
  await tell(unit, ids, 'newsletter.paused', { ...row, status: 'paused' }, run, reason)
}

/** @param set settings that change with the status */
export async function moveNewsletter(
  unit: AccountUnit,
  row: NewsletterTable,
  status: NewsletterTable['status'],
  set: Partial<NewsletterSettings>,
): Promise<void> {
  const settings = JSON.stringify({ ...settingsOf(row), ...set })
  await updateNewsletter(unit, row.id, { status, settings, updated_at: unit.now })
  unit.change(Newsletter.name, row.id, 'u', ['status', 'updatedAt', 'stats', ...Object.keys(set)])
}

/** Decision D34. @param row with its new status */
export async function tell(
  unit: AccountUnit,
  ids: IdCodec,
  type: Extract<EventType, `newsletter.${string}`>,
  row: Pick<NewsletterTable, 'id' | 'audience' | 'status'>,
  run: NewsletterRunTable | null,
  reason: string | null,
): Promise<void> {
  await appendEvent(unit, type, {
    newsletter_id: ids.encode(Newsletter, unit.account, row.id),
    audience_id: row.audience === null ? null : ids.encode(Audience, unit.account, row.audience),
    status: row.status,
    reason,
    stats: run ? statsOf(run) : NO_STATS,
  })
}

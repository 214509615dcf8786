/**
 * The queue of EmailSubmission: due entries are claimed by destination. Only the server's own worker calls this (mta/outbound); results
 * come back in queue-report.ts.
 */
import { randomUUID } from 'node:crypto'
import { errorMessage } from '../../../server/base/errors.ts'
import {
  QUEUE_CLAIM_ENOUGH,
  QUEUE_LOOK_AHEAD,
  QUEUE_NEW_MS,
  QUEUE_WINDOW_ROWS,
  QUEUE_WINDOWS,
} from '../../../server/base/outbound-limits.ts'
import type { Sql, Store } from '../../../storage/ports.ts'
import { updateOutgoing } from '../../../storage/repos/outgoing.ts'
import { type DueRows, dueRows, newestDueRows, type QueuePlace } from '../../../storage/repos/outgoing-due.ts'
import { type ClaimedRow, claimOutgoing } from '../../../storage/repos/outgoing-leases.ts'
import { updateSubmission } from '../../../storage/repos/submissions.ts'
import { takeBack, type Unsent } from '../../newsletters/run/hand-over.ts'
import { type Paces, pacesIn } from '../../policy/reputation/pace.ts'
import type { Services } from '../../type/context.ts'
import { FairScheduler, type MailKind, type QueueRoom } from './fair-scheduler.ts'
import { describeQueued, type QueuedSubmission } from './queue-description.ts'

/** Where a worker's last claim ended. */
interface LastLook {
  /** The next claim continues here, so that rows that cannot be claimed block no others. null: at the front. */
  readonly place: QueuePlace | null
  /** The same among the mail of newsletters. */
  readonly bulkPlace: QueuePlace | null
  /** The claim found no row although it did not scan all due ones. */
  readonly wasMeagre: boolean
}

/** By worker. */
export type QueuePlaces = Map<string, LastLook>

const FIRST_LOOK: LastLook = { place: null, bulkPlace: null, wasMeagre: false }

interface QueueClaim {
  readonly limit: number
  readonly leaseMs: number
  readonly room: QueueRoom | null
}

/**
 * Several workers and nodes may claim at once: each row goes to one of them, until its lease ends.
 * @param room what the worker is sending now; null: no limits
 */
export async function claimSubmissions(
  services: Services & { readonly queuePlaces: QueuePlaces },
  owner: string,
  limit: number,
  leaseMs: number,
  room: QueueRoom | null = null,
): Promise<QueuedSubmission[]> {
  const { queuePlaces } = services
  const lease = `${owner}:${randomUUID()}`
  const last = queuePlaces.get(owner) ?? FIRST_LOOK
  const claim = { limit, leaseMs, room }
  // Leases need not survive a power failure, because no worker does.
  const { rows, look } = await services.store.write(
    [],
    async (unit) => claimRows(unit.sql, unit.now, lease, last, claim, await pacesIn(unit, services)),
    'deferred',
  )
  queuePlaces.set(owner, look)
  if (rows.length === 0) return []
  const described = await describeQueued(services, rows)
  const claimed: QueuedSubmission[] = []
  const begun: ClaimedRow[] = []
  const unsent: Unsent[] = []
  for (const [i, result] of described.entries()) {
    const row = rows[i]!
    if ('queued' in result) {
      claimed.push(result.queued)
      if (result.isPending) begun.push(row)
      continue
    }
    if ('notSent' in result) {
      unsent.push({ row, reason: result.notSent })
      continue
    }
    if ('tooMuch' in result) {
      await putBack(services.store, row, 0)
      continue
    }
    // A message that cannot be read must not hold up the others; it is tried again.
    services.logger.error(
      { submission: row.submission, error: errorMessage(result.error) },
      'a submission could not be read',
    )
    await putBack(services.store, row, READ_AGAIN_MS)
  }
  await markFinal(services.store, begun)
  if (unsent.length > 0) await takeBack(services, unsent)
  return claimed
}

/** Milliseconds until a submission whose message could not be read is tried again. */
const READ_AGAIN_MS = 60_000

function putBack(store: Store, row: ClaimedRow, waitMs: number): Promise<void> {
  return store.write([row.account], (work) =>
    updateOutgoing(work.account(row.account), row, { lease: null, due_at: work.now + waitMs }),
  )
}

/** RFC 8621 7: from here on they cannot be recalled. */
async function markFinal(store: Store, rows: readonly ClaimedRow[]): Promise<void> {
  const accounts = Map.groupBy(rows, ({ account }) => account)
  await Promise.all(
    [...accounts].map(([account, of]) =>
      store.write([account], async (work) => {
        const unit = work.account(account)
        for (const submission of new Set(of.map((row) => row.submission))) {
          await updateSubmission(unit, submission, { undo_status: 'final' })
          unit.change('EmailSubmission', submission, 'u', ['undoStatus'])
        }
      }),
    ),
  )
}

async function claimRows(
  sql: Sql,
  now: number,
  lease: string,
  last: LastLook,
  { limit, leaseMs, room }: QueueClaim,
  paces: Paces,
): Promise<{ rows: ClaimedRow[]; look: LastLook }> {
  const scheduler = new FairScheduler(room, paces)
  const rows: ClaimedRow[] = []
  const claim = async (found: DueRows['rows'], most: number, kind: MailKind) => {
    const chosen = scheduler.from(found, most, kind)
    if (chosen.length > 0) rows.push(...(await claimOutgoing(sql, chosen, { now, until: now + leaseMs, lease })))
  }
  const window = (kind: MailKind) => ({
    now,
    ...scheduler.filter(kind),
    size: QUEUE_WINDOW_ROWS,
    limit: limit * QUEUE_LOOK_AHEAD,
    ofNewsletters: kind === 'bulk',
  })
  // If much mail cannot be sent, new mail would wait until the scan has come round to it.
  if (room?.isCrowded || last.wasMeagre) {
    const newest = await newestDueRows(sql, window('new'))
    const isNew = ({ due_at }: QueuePlace) => due_at > now - QUEUE_NEW_MS
    await claim(newest.filter(isNew), Math.ceil(limit / 2), 'new')
    await claim(
      newest.filter((row) => !isNew(row)),
      Math.ceil(limit / 2) - rows.length,
      'other',
    )
  }
  const goRound = async (kind: MailKind, from: QueuePlace | null): Promise<QueuePlace | null> => {
    const before = rows.length
    let place = from
    let wrapped = place === null
    for (let i = 0; i < QUEUE_WINDOWS && rows.length < limit; i++) {
      const found = await dueRows(sql, { ...window(kind), after: place })
      await claim(found.rows, limit - rows.length, kind)
      // Rows that were skipped for lack of room come first in the next claim.
      if (rows.length >= limit) break
      place = found.next
      // A claim that found little looks into one more window: the next claim continues there, soon.
      if (rows.length >= QUEUE_CLAIM_ENOUGH || (rows.length > before && i > 0)) break
      if (place === null) {
        if (wrapped) break
        wrapped = true
      }
    }
    return place
  }
  const place = await goRound('other', last.place)
  // Newsletters get what other mail leaves.
  const bulkPlace = scheduler.hasRoomForBulk ? await goRound('bulk', last.bulkPlace) : last.bulkPlace
  const wasMeagre = (place !== null || bulkPlace !== null) && rows.length === 0
  return { rows, look: { place, bulkPlace, wasMeagre } }
}

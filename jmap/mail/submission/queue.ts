/**
 * The queue of EmailSubmission: due entries are claimed by destination. Only the server's own worker calls this (mta/outbound); results
 * come back in queue-report.ts.
 */
import { randomUUID } from 'node:crypto'
import { errorMessage } from '../../../server/base/errors.ts'
import {
  QUEUE_CLAIM_ENOUGH,
  QUEUE_LOOK_AHEAD,
  QUEUE_WINDOW_ROWS,
  QUEUE_WINDOWS,
} from '../../../server/base/outbound-limits.ts'
import type { Sql, Store } from '../../../storage/ports.ts'
import { updateOutgoing } from '../../../storage/repos/outgoing.ts'
import {
  type ClaimedRow,
  claimOutgoing,
  type DueRows,
  dueRows,
  type QueuePlace,
} from '../../../storage/repos/outgoing-leases.ts'
import { updateSubmission } from '../../../storage/repos/submissions.ts'
import { type Paces, pacesIn } from '../../policy/reputation/pace.ts'
import type { Services } from '../../type/context.ts'
import { describeQueued, type QueuedSubmission } from './queue-description.ts'

/**
 * Position in the queue where each worker's last claim ended. The next claim continues there, so that rows that cannot be claimed block
 * no others.
 */
export type QueuePlaces = Map<string, QueuePlace | null>

/** What a worker is sending now, and its limits per destination and per organization. */
export interface QueueRoom {
  readonly perDestination: number
  readonly perOrganization: number
  readonly destinations: readonly (readonly [name: string, count: number])[]
  readonly organizations: readonly (readonly [organization: number, count: number])[]
}

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
  const from = queuePlaces.get(owner) ?? null
  const claim = { limit, leaseMs, room }
  // Leases need not survive a power failure, because no worker does.
  const { rows, place } = await services.store.write(
    [],
    async (unit) => claimRows(unit.sql, unit.now, lease, from, claim, await pacesIn(unit, services)),
    'deferred',
  )
  queuePlaces.set(owner, place)
  if (rows.length === 0) return []
  const described = await describeQueued(services, rows)
  const claimed: QueuedSubmission[] = []
  const begun: ClaimedRow[] = []
  for (const [i, result] of described.entries()) {
    const row = rows[i]!
    if ('queued' in result) {
      claimed.push(result.queued)
      if (result.isPending) begun.push(row)
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
  from: QueuePlace | null,
  { limit, leaseMs, room }: QueueClaim,
  paces: Paces,
): Promise<{ rows: ClaimedRow[]; place: QueuePlace | null }> {
  const scheduler = new FairScheduler(room, paces)
  const rows: ClaimedRow[] = []
  let place = from
  let wrapped = from === null
  for (let window = 0; window < QUEUE_WINDOWS && rows.length < limit; window++) {
    const found = await dueRows(sql, {
      now,
      after: place,
      busyDestinations: scheduler.busyDestinations(),
      busyOrganizations: scheduler.busyOrganizations(),
      size: QUEUE_WINDOW_ROWS,
      limit: limit * QUEUE_LOOK_AHEAD,
    })
    const chosen = scheduler.from(found.rows, limit - rows.length)
    if (chosen.length > 0) rows.push(...(await claimOutgoing(sql, chosen, { now, until: now + leaseMs, lease })))
    // Rows that were skipped for lack of room come first in the next claim.
    if (rows.length >= limit) break
    place = found.next
    if (rows.length >= QUEUE_CLAIM_ENOUGH) break
    if (place === null) {
      if (wrapped) break
      wrapped = true
    }
  }
  return { rows, place }
}

type DueRow = DueRows['rows'][number]

/**
 * Chooses the rows to claim: no destination and no organization gets more than its limit, and the organization with the fewest comes
 * first (promise Q4).
 */
class FairScheduler {
  readonly #room: QueueRoom | null
  readonly #destinations: Map<string, number>
  readonly #organizations: Map<number, number>
  readonly #paces: Paces

  constructor(room: QueueRoom | null, paces: Paces) {
    this.#room = room
    this.#paces = paces
    this.#destinations = new Map(room?.destinations)
    this.#organizations = new Map(room?.organizations)
  }

  busyDestinations(): string[] {
    return atLeast(this.#destinations, this.#room?.perDestination)
  }

  busyOrganizations(): number[] {
    const known = new Set([...this.#organizations.keys(), ...this.#paces.keys()])
    return [...known].filter((organization) => !this.#hasRoomFor(organization))
  }

  from(rows: readonly DueRow[], limit: number): DueRow[] {
    const waiting = Map.groupBy(rows, ({ organization }) => organization)
    const chosen: DueRow[] = []
    while (chosen.length < limit) {
      const next = this.#leastServed(waiting)
      if (next === null) break
      const row = waiting.get(next)!.shift()!
      if (waiting.get(next)!.length === 0) waiting.delete(next)
      if (!hasRoom(this.#destinations, row.destination, this.#room?.perDestination)) continue
      add(this.#destinations, row.destination)
      add(this.#organizations, next)
      chosen.push(row)
    }
    return chosen
  }

  #leastServed(waiting: ReadonlyMap<number, unknown>): number | null {
    let least: number | null = null
    for (const organization of waiting.keys()) {
      if (!this.#hasRoomFor(organization)) continue
      const count = this.#organizations.get(organization) ?? 0
      if (least === null || count < (this.#organizations.get(least) ?? 0)) least = organization
    }
    return least
  }

  #hasRoomFor(organization: number): boolean {
    const pace = this.#paces.get(organization) ?? 1
    const cap = (this.#room?.perOrganization ?? Number.POSITIVE_INFINITY) * pace
    // An organization that may send at all has room for one.
    return hasRoom(this.#organizations, organization, pace === 0 ? 0 : Math.max(1, cap))
  }
}

function hasRoom<K>(counts: ReadonlyMap<K, number>, key: K, cap = Number.POSITIVE_INFINITY): boolean {
  return (counts.get(key) ?? 0) < cap
}

function atLeast<K>(counts: ReadonlyMap<K, number>, cap = Number.POSITIVE_INFINITY): K[] {
  return [...counts].filter(([, count]) => count >= cap).map(([key]) => key)
}

function add<K>(counts: Map<K, number>, key: K): void {
  counts.set(key, (counts.get(key) ?? 0) + 1)
}

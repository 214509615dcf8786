/**
 * The end of an audience. Its row goes at once, and with it the audience and its members for all readers. The rows of many members are
 * deleted afterwards by a worker, in slices that leave room for other writes (server/workers/audience-removals.ts).
 */
import { randomUUID } from 'node:crypto'
import { AUDIENCE_REMOVAL_AT_ONCE, AUDIENCE_REMOVAL_SLICE } from '../../../server/base/audience-limits.ts'
import { AccountGone } from '../../../storage/account-gone.ts'
import type { AccountUnit } from '../../../storage/ports.ts'
import {
  claimRemovals,
  deleteRemoval,
  deleteSomeSubscribers,
  deleteSomeTraces,
  holdsRemoval,
  insertRemoval,
  nextRemovalAt,
} from '../../../storage/repos/audience-removals.ts'
import { deleteAudience } from '../../../storage/repos/audiences.ts'
import type { Services } from '../../type/context.ts'
import { Subscriber } from '../subscriber/subscriber.type.ts'
import { Audience } from './audience.type.ts'

/** An audience whose members a worker deletes. */
export interface AudienceRemoval {
  readonly account: number
  readonly audience: number
  readonly lease: string
}

/** Inside the organization's unit of work. */
export async function endAudience(unit: AccountUnit, audience: number): Promise<void> {
  await deleteAudience(unit, audience)
  unit.change(Audience.name, audience, 'd')
  const left = await removeSome(unit, audience, AUDIENCE_REMOVAL_AT_ONCE)
  if (left === 'nothing') return
  await insertRemoval(unit, audience)
  // Lists have lost members whose end is not in the change log yet: clients list them anew.
  if (left === 'members') unit.endHistory(Subscriber.name)
}

/** @returns what may be left: members, or sign-ups and leaves */
async function removeSome(
  unit: AccountUnit,
  audience: number,
  limit: number,
): Promise<'members' | 'traces' | 'nothing'> {
  const members = await deleteSomeSubscribers(unit, audience, limit)
  for (const member of members) unit.change(Subscriber.name, member, 'd')
  if (members.length === limit) return 'members'
  const room = limit - members.length
  return (await deleteSomeTraces(unit, audience, room)) < room ? 'nothing' : 'traces'
}

/** Epoch ms when the next one may be claimed; null: there is none. */
export function nextRemovalTime({ store }: Pick<Services, 'store'>): Promise<number | null> {
  return store.read(nextRemovalAt)
}

export async function claimAudienceRemovals(
  { store }: Pick<Services, 'store'>,
  owner: string,
  limit: number,
  leaseMs: number,
): Promise<AudienceRemoval[]> {
  const lease = `${owner}:${randomUUID()}`
  const rows = await store.write([], (unit) =>
    claimRemovals(unit.sql, { now: unit.now, limit, lease, until: unit.now + leaseMs }),
  )
  return rows.map(({ account, audience }) => ({ account, audience, lease }))
}

/** Deletes slice by slice, each in a unit of work of its own. Whoever claims it after a crash goes on. */
export async function runAudienceRemoval(
  { store }: Pick<Services, 'store'>,
  { account, audience, lease }: AudienceRemoval,
): Promise<void> {
  let isOver = false
  while (!isOver) {
    isOver = await store
      .write([account], async (work) => {
        const unit = work.account(account)
        if (!(await holdsRemoval(unit, audience, lease))) return true
        if ((await removeSome(unit, audience, AUDIENCE_REMOVAL_SLICE)) !== 'nothing') return false
        await deleteRemoval(unit, audience)
        return true
      })
      .catch((error: unknown) => {
        if (error instanceof AccountGone) return true
        throw error
      })
  }
}

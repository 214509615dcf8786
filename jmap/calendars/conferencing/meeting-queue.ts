/** The queue of requests to conferencing providers, for the worker that makes them (server/workers/meetings). */
import { randomUUID } from 'node:crypto'
import type { AccountUnit, Reader } from '../../../storage/ports.ts'
import { findAccount } from '../../../storage/repos/accounts.ts'
import { claimMeetingRows, nextMeeting, reviveMeetings } from '../../../storage/repos/meetings.ts'
import { renewRows } from '../../../storage/repos/renew-rows.ts'
import type { MeetingTable } from '../../../storage/schema/meeting.ts'
import type { Services } from '../../type/context.ts'
import type { ZoomCredentials } from '../../type/host-ports.ts'
import { CalendarEvent } from '../event/calendar-event.type.ts'
import type { ConferencingProvider } from '../jscalendar/conferencing.ts'
import { findConnection, openCredentials } from './connections.ts'
import type { WantedMeeting } from './wanted-meeting.ts'

/** A meeting that a provider is to be asked about. */
export interface MeetingTask {
  readonly account: number
  readonly id: number
  /** A report with another lease is ignored. */
  readonly lease: string
  /** null: the provider is not connected any more. */
  readonly credentials: ZoomCredentials | null
  /** null: there shall be none. */
  readonly wanted: WantedMeeting | null
  /** Id at the provider; null: none is known. */
  readonly remote: string | null
  /** It may exist although no id is known. */
  readonly isUnsure: boolean
  /** Text by which it is found again: the id of the event. */
  readonly reference: string
}

export type MeetingOutcome =
  /** The provider has what was wanted. `joinUrl` null: the link is as before. */
  | { readonly kind: 'kept'; readonly remote: string; readonly joinUrl: string | null }
  /** The provider has no such meeting. */
  | { readonly kind: 'removed' }
  | {
      readonly kind: 'failed'
      /** For the owner, as the end of a sentence. */
      readonly reason: string
      readonly mayComeRight: boolean
      /** Milliseconds that the provider asks to wait; null: it does not say. */
      readonly retryAfter: number | null
      /** A meeting may have been made. */
      readonly isUnsure: boolean
    }

export async function claimMeetings(
  services: Services,
  owner: string,
  limit: number,
  leaseMs: number,
): Promise<MeetingTask[]> {
  const { store } = services
  const lease = `${owner}:${randomUUID()}`
  const rows = await store.write([], (unit) =>
    claimMeetingRows(unit.sql, { now: unit.now, limit, lease, until: unit.now + leaseMs }),
  )
  return Promise.all(rows.map((row) => store.read((reader) => taskOf(services, reader, row))))
}

async function taskOf({ ids, keyring }: Services, reader: Reader, row: MeetingTable): Promise<MeetingTask> {
  const { account, id, event, lease, wanted, remote, is_unsure: isUnsure } = row
  const organization = (await findAccount(reader, account))?.organization ?? 0
  const connection = await findConnection(reader, account, row.provider as ConferencingProvider)
  return {
    account,
    id,
    lease: lease!,
    credentials: connection && openCredentials(keyring, { account, organization }, connection),
    wanted: wanted === null ? null : (JSON.parse(wanted) as WantedMeeting),
    remote,
    isUnsure: isUnsure === 1,
    reference: ids.encode(CalendarEvent, account, event),
  }
}

/** Renews leases for `leaseMs` from now. */
export function renewMeetings(
  { store }: Pick<Services, 'store'>,
  leases: readonly string[],
  leaseMs: number,
): Promise<void> {
  return store.write([], (unit) => renewRows(unit.sql, 'meeting', leases, unit.now + leaseMs))
}

/** Epoch ms when the next meeting may be claimed; null: none is due. */
export function nextMeetingTime({ store }: Pick<Services, 'store'>): Promise<number | null> {
  return store.read(nextMeeting)
}

/** Inside a unit of work: asks a provider again that has been connected anew. */
export function retryMeetings(unit: AccountUnit, provider: ConferencingProvider): Promise<void> {
  return reviveMeetings(unit, provider)
}

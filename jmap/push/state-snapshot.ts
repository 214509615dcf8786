/**
 * States that changed for a principal since a push state: RFC 8620 7.1. They are read from the store; notifications only say when to
 * read.
 */
import { hasScope, mayUseMailbox, type Principal } from '../../server/base/principal.ts'
import type { Reader } from '../../storage/ports.ts'
import { type AccountPosition, accountPositions, typeStates } from '../../storage/repos/push-positions.ts'
import { CalendarEvent } from '../calendars/event/calendar-event.type.ts'
import { CALENDAR_ALERT, type CalendarAlert, unseenAlerts } from '../calendars/reminders/calendar-alert.ts'
import type { Services } from '../type/context.ts'
import type { Registry } from '../type/registry.ts'
import { changedSince, type PushPosition, type PushSince } from './push-state.ts'

export interface SnapshotRequest {
  /** A push state of the client, or the position of its last snapshot; null: only the present position is wanted. */
  readonly since: string | PushPosition | null
  /** null: all. */
  readonly types: readonly string[] | null
  /** Account numbers; null: all accounts that the principal may read. */
  readonly only: readonly number[] | null
}

/** RFC 8620 7.1: account id to type name to state. */
export type ChangedStates = { readonly [accountId: string]: { readonly [type: string]: string } }

export interface StateSnapshot {
  readonly changed: ChangedStates
  /** Alerts that were triggered since (JMAP Calendars 6.4). */
  readonly alerts: readonly CalendarAlert[]
  /** Position of the accounts that were read. */
  readonly position: PushPosition
}

export function stateSnapshot(
  { store, ids, clock, registry }: Pick<Services, 'store' | 'ids' | 'clock'> & { readonly registry: Registry },
  principal: Principal,
  { since, types, only }: SnapshotRequest,
): Promise<StateSnapshot> {
  return store.read(async (reader) => {
    const rows = await visibleRows(reader, principal, only)
    const position = new Map(rows.map(({ id, seq }) => [id, seq]))
    const changed: { [accountId: string]: { [type: string]: string } } = {}
    const alerts: CalendarAlert[] = []
    const after = since === null ? new Map<number, number>() : sinceOf(since, position)
    for (const row of rows) {
      const before = after.get(row.id)
      if (before === undefined) continue
      const names = visibleTypes(registry, principal, row.kind).filter((name) => types === null || types.includes(name))
      if (names.length === 0) continue
      const newer = (await typeStates(reader, row.id, names)).filter(({ state }) => state > before)
      if (newer.some(({ type }) => type === CALENDAR_ALERT))
        alerts.push(...(await unseenAlerts({ ids, clock }, reader, row.id, before)))
      const states = newer.filter(({ type }) => type !== CALENDAR_ALERT)
      if (states.length === 0) continue
      const accountId = ids.accountId(row.kind, row.id)
      changed[accountId] = Object.fromEntries(states.map(({ type, state }) => [type, String(state)]))
    }
    return { changed, alerts, position }
  })
}

/** The position of all accounts that a principal may read. */
export async function positionOf(reader: Reader, principal: Principal): Promise<PushPosition> {
  return new Map((await visibleRows(reader, principal, null)).map(({ id, seq }) => [id, seq]))
}

function sinceOf(since: string | PushPosition, now: PushPosition): PushSince {
  if (typeof since === 'string') return changedSince(since, now)
  // An account that the principal may read only since now is reported as a whole.
  return new Map(
    [...now].flatMap(([account, seq]) => (since.get(account) === seq ? [] : [[account, since.get(account) ?? -1]])),
  )
}

async function visibleRows(
  reader: Reader,
  principal: Principal,
  only: readonly number[] | null,
): Promise<AccountPosition[]> {
  const { organization, mailboxes, ownsOrganization } = principal
  const named = only ?? (mailboxes === 'all' ? null : [...mailboxes, ...(ownsOrganization ? [organization] : [])])
  const rows = await accountPositions(reader, named ? { accounts: named } : { organization })
  return rows.filter((row) => {
    if (row.suspended_at !== null) return false
    return row.kind === 'mailbox'
      ? mayUseMailbox(principal, row.organization, row.id)
      : ownsOrganization && row.id === organization
  })
}

/** Types whose state the principal can get by /get, and the pseudo-type of alerts for who may read events. */
function visibleTypes({ types }: Registry, principal: Principal, kind: AccountPosition['kind']): string[] {
  const readable = types.filter(({ type }) => type.accounts === kind && hasScope(principal, type.scopes.read))
  return readable.flatMap(({ type: { name, pushNames = [] } }) => [
    name,
    ...pushNames,
    ...(name === CalendarEvent.name ? [CALENDAR_ALERT] : []),
  ])
}

/** Which rows of a call of Subscriber/add are added: decision D18, in its order. Pure. */
import { MERGE_FIELDS_MAX } from '../../../server/base/audience-limits.ts'
import type { AddRow } from './read-rows.ts'
import type { AddOutcome, MergeFields, RowProperty } from './subscriber.type.ts'

/** What a call may change of a subscriber. */
export interface Draft {
  readonly displayName: string | null
  readonly mergeFields: MergeFields
}

/** What is known about the addresses of a call, under the lock of the organization. */
export interface Known {
  /** Suppressed, opted out, or in the audience with a state to which nothing is mailed. */
  readonly isMailable: (address: string) => boolean
  /** Members of the audience that can be mailed. */
  readonly members: ReadonlyMap<string, Draft>
  /** Net-new addresses that the month still admits; null: any number. */
  readonly quota: number | null
  /** Subscribed members that the audience still takes. */
  readonly room: number
}

export interface Decision {
  /** One for each row, in order. `property`: what is wrong in a row that is `skipped_invalid`. */
  readonly results: readonly { readonly outcome: AddOutcome; readonly property: RowProperty | null }[]
  /** By address, in the order of the rows. */
  readonly created: ReadonlyMap<string, Draft>
  readonly updated: ReadonlyMap<string, Draft>
}

export function decide(rows: readonly AddRow[], known: Known): Decision {
  const created = new Map<string, Draft>()
  const updated = new Map<string, Draft>()
  const isNew = (address: string | null): address is string =>
    address !== null && known.isMailable(address) && !known.members.has(address)
  const wanted = new Set(rows.map(({ address }) => address).filter(isNew)).size
  // All net-new addresses of the call, or none of them.
  const isOverQuota = known.quota !== null && wanted > known.quota
  const judge = (row: AddRow & { readonly address: string }): AddOutcome => {
    const { address } = row
    if (!known.isMailable(address)) return 'skipped_not_mailable'
    const before = created.get(address) ?? updated.get(address) ?? known.members.get(address)
    if (!before && isOverQuota) return 'skipped_quota'
    if (!before && created.size >= known.room) return 'skipped_cap'
    const draft = merge(before, row)
    if (draft === null) return 'skipped_invalid'
    const drafts = known.members.has(address) ? updated : created
    drafts.set(address, draft)
    return before ? 'updated' : 'created'
  }
  const results = rows.map(({ address, wrong, ...row }) => {
    if (address === null) return { outcome: 'skipped_invalid', property: wrong } as const
    const outcome = judge({ ...row, wrong, address })
    return { outcome, property: outcome === 'skipped_invalid' ? ('mergeFields' as const) : null }
  })
  return { results, created, updated }
}

/** null: too many fields. */
function merge(before: Draft | undefined, { displayName, mergeFields }: AddRow): Draft | null {
  const merged = { ...before?.mergeFields, ...mergeFields }
  if (Object.keys(merged).length > MERGE_FIELDS_MAX) return null
  return { displayName: displayName === undefined ? (before?.displayName ?? null) : displayName, mergeFields: merged }
}

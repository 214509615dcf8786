/** Vendor: the meeting that the server keeps for an event at a provider (decision D23). */
import type { VirtualLocation } from './location.ts'

export const CONFERENCING_PROVIDERS = ['zoom', 'jitsi'] as const
export type ConferencingProvider = (typeof CONFERENCING_PROVIDERS)[number]

export const CONFERENCING_STATUSES = ['pending', 'ready', 'failed'] as const

/** Clients write `provider`; the rest is the server's. The link is among the virtual locations of the event. */
export type Conferencing = {
  readonly provider: ConferencingProvider
  /** `pending`: the provider has not answered yet. `failed`: it has not done what the event says. Absent: the event is new. */
  readonly status?: (typeof CONFERENCING_STATUSES)[number]
  /** Why it failed. */
  readonly note?: string
}

/** Id of the virtual location that has the link. */
export const MEETING_LOCATION = 'meeting'

interface Meeting {
  readonly conferencing?: Conferencing | null
  readonly virtualLocations?: { readonly [id: string]: VirtualLocation } | null
}

/** The link of the meeting; null: there is none. */
export function linkOf({ conferencing, virtualLocations }: Meeting): string | null {
  return (conferencing && virtualLocations?.[MEETING_LOCATION]?.uri) ?? null
}

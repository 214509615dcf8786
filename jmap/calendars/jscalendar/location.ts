/** Places of an event (jscalendarbis 3.2.5, 3.2.7). */
import type { Links } from './link.ts'

export type Location = {
  readonly '@type'?: 'Location'
  readonly name?: string
  /** Types of the registry of RFC 4589. */
  readonly locationTypes?: { readonly [type: string]: true }
  /** A `geo:` URI (RFC 5870). */
  readonly coordinates?: string
  readonly links?: Links
}

export type VirtualLocation = {
  readonly '@type'?: 'VirtualLocation'
  readonly name?: string
  readonly uri: string
  /** `audio`, `chat`, `feed`, `moderator`, `phone`, `screen`, `video`. */
  readonly features?: { readonly [feature: string]: true }
}

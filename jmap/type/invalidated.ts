/**
 * Data that the server derives from objects and caches: credentials, and the settings of delivery. A type declares which of them become
 * invalid when its objects change (define-type.ts).
 */
export type Invalidated = 'credentials' | 'deliverySettings'

/** Names of the types whose changes make each invalid. */
export type Invalidating = { readonly [what in Invalidated]: readonly string[] }

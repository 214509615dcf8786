/** A capability: what a request names in `using`, and its description in the session (RFC 8620 2). */
import type { AccountKind } from '../../server/base/ids.ts'
import type { JsonObject } from '../../server/base/json.ts'
import type { Principal } from '../../server/base/principal.ts'
import type { BlobType } from './blob-uses.ts'
import type { Services } from './context.ts'

export interface SessionServer {
  readonly services: Services
  /** Scheme and host, without a slash at the end. */
  readonly baseUrl: string
}

export interface SessionAccount {
  readonly services: Services
  readonly principal: Principal
  /** Number of the account. */
  readonly account: number
  /** Types whose objects may lead to a blob. */
  readonly blobTypes: readonly BlobType[]
}

export interface Capability {
  readonly urn: string
  /** It has no methods: accounts have it that have this other one. */
  readonly with?: Capability
  /** Kind of the accounts that hold its objects; null: its methods need no account, and it has no primary account. */
  readonly accounts: AccountKind | null
  /** Its value in `capabilities`; without it an empty object. */
  readonly server?: (session: SessionServer) => JsonObject
  /** Its value in `accountCapabilities`, to which its types may add; without it an empty object. */
  readonly account?: (session: SessionAccount) => JsonObject
}

/** What REST needs from outside; whoever builds the server hands it in. */
import type { Core } from '../../jmap/core.ts'
import type { Idempotency } from '../../jmap/idempotency.ts'
import type { Clock } from '../../server/base/clock.ts'
import type { CorsOrigins } from '../../server/base/http/cors.ts'
import type { Logger } from '../../server/base/logger.ts'
import type { RestIds } from '../access/ids.ts'
import type { RateTable } from '../access/rate-tiers.ts'

export interface RestConfig {
  /** Secret of the installation that signs cursors; with another one those given out are refused. 32 octets. */
  readonly cursorKey: Uint8Array
  readonly rates: RateTable
  readonly corsOrigins: CorsOrigins
  /** For tests and development: an answer that its declaration does not tell of becomes a 500. */
  readonly checkAnswers: boolean
}

export interface RestDeps {
  readonly core: Pick<Core, 'authenticate' | 'refusalOf' | 'process' | 'upload' | 'download'>
  readonly clock: Clock
  readonly logger: Logger
  readonly ids: RestIds
  readonly idempotency: Idempotency
  readonly config: RestConfig
}

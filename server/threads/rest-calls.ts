/** Requests of REST in a thread that reads: large ones, and those that read much. Their JSON would hold up the sockets. */
import { placeRequest, processRequest } from '../../jmap/process-request.ts'
import type { CoreParts } from '../../jmap/service.ts'
import type { Core } from '../../jmap/services.ts'
import { createRestExecutor, type Execute, restIds } from '../../rest/executor.ts'
import { systemClock } from '../base/clock.ts'
import type { Logger } from '../base/logger.ts'
import type { InProcess } from './in-process.ts'

/** What the thread has opened. */
export interface Reading extends InProcess {
  readonly parts: CoreParts
  readonly logger: Logger
}

/** @param isDev answers are checked, and warnings are shown */
export function createRestCalls(reading: Reading, isDev: boolean): Execute {
  const { core, cursorKey, logger } = reading
  const deps = {
    core: { ...core, process: processing(reading) },
    clock: systemClock,
    logger,
    ids: restIds(core.ids),
    idempotency: core.idempotency,
    // It was open when the thread began.
    isAvailable: async () => true,
    config: { cursorKey, showsWarnings: isDev },
  }
  return createRestExecutor(deps, isDev)
}

/** Reads run here. */
function processing({ core, parts }: Reading): Core['process'] {
  return (principal, request, steps, guard) =>
    placeRequest(parts, principal, request, steps) === 'writer'
      ? core.process(principal, request, steps)
      : processRequest(parts, principal, request, steps, guard)
}

/** Decides whether a request is executed in this thread, which has the sockets, or in another one (promise T1, decision record 0031). */
import { isFailure } from '../../server/base/errors.ts'
import { WaitingClient } from '../../server/base/guard.ts'
import { REST_HERE_MAX_BYTES } from '../../server/base/limits.ts'
import { toApiError } from '../errors/api-error.ts'
import type { AdmittedRequest, Executed, Execution, ExecutionOptions } from './execution.ts'
import type { WrittenAnswer } from './respond.ts'
import type { Route } from './routes.ts'

/** Executes a request in another thread. @throws Failure `busy` and others of that thread, never one of the request */
export type Elsewhere = (request: AdmittedRequest, client: WaitingClient) => Promise<WrittenAnswer>

interface Connection extends Pick<ExecutionOptions, 'addHeaders' | 'upload'> {
  readonly onClose: (listener: () => void) => void
}

/** Turns of the event loop of this thread. */
export interface ThreadTurns {
  /** A request that comes now has to wait. */
  isFull(): boolean
  /** Resolves when the request may begin. Credentials take turns. */
  wait(credential: string): Promise<void>
}

/** @param elsewhere null: all requests are executed here */
export async function executeSomewhere(
  execution: Execution,
  elsewhere: Elsewhere | null,
  route: Route,
  request: AdmittedRequest,
  { addHeaders, onClose, upload }: Connection,
): Promise<Executed | { readonly written: WrittenAnswer }> {
  // Octets come from a socket of this thread.
  if (upload) return execution.run(route, request, { addHeaders, upload })
  const { streams, fileType } = route.endpoint
  const mayRestart = elsewhere !== null && request.isRead && !streams && fileType === undefined
  const client = new WaitingClient({ restartsLarge: mayRestart, hasBegun: request.isRead && !request.isPublic })
  onClose(() => client.leave())
  if (!request.isRead) {
    if (!elsewhere || request.body.length <= REST_HERE_MAX_BYTES) return execution.run(route, request, { addHeaders })
    return { written: await elsewhere(request, client) }
  }
  try {
    return await execution.run(route, request, { addHeaders, guard: client })
  } catch (error) {
    if (!mayRestart || !isFailure(toApiError(error).cause, 'diverted')) throw error
    return { written: await elsewhere(request, client) }
  }
}

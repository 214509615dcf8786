import { isFailure } from '../../server/base/errors.ts'
import { type Reply, reply } from './reply.ts'

/** The reply to a client when the core failed: always temporary, and never with the internal error text. */
export function failureReply(error: unknown): Reply {
  if (isFailure(error, 'storageFull')) return reply(452, '4.3.1', 'Insufficient system storage')
  if (isFailure(error, 'shuttingDown')) return { ...reply(421, '4.3.2', 'Server shutting down'), close: true }
  return reply(451, '4.3.0', 'Temporary server error, try again later')
}

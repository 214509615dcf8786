import { isFailure } from '../../server/base/errors.ts'
import { type Reply, reply } from './reply.ts'

/** The reply to a client when the core could not do its work: always temporary, and never the inner words. */
export function failureReply(error: unknown): Reply {
  if (isFailure(error, 'storageFull')) return reply(452, '4.3.1', 'Insufficient system storage')
  if (isFailure(error, 'shuttingDown')) return { ...reply(421, '4.3.2', 'Server shutting down'), close: true }
  return reply(451, '4.3.0', 'Temporary server error, try again later')
}

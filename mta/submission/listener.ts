/**
 * The listeners for message submission (RFC 6409): 587 with STARTTLS, 465 with implicit TLS (RFC 8314). Passwords are accepted over TLS only;
 * the core decides what a user may send, and with which sender.
 */
import type { Core } from '../../jmap/services.ts'
import type { Clock } from '../../server/base/clock.ts'
import type { Logger } from '../../server/base/logger.ts'
import { SUBMISSION_MAX_COMMAND_BYTES } from '../../server/base/smtp-limits.ts'
import type { LocalDelivery } from '../inbound/local-delivery.ts'
import type { SmtpLimits } from '../smtp/limits.ts'
import { SmtpServer, type TlsMaterial } from '../smtp/server.ts'
import { createSubmissionHandlers } from './handlers.ts'

export interface SubmissionListenerOptions {
  readonly hostname: string
  readonly postmaster: string
  readonly core: Pick<Core, 'authenticate' | 'submit'>
  readonly delivery: LocalDelivery
  readonly implicitTls: boolean
  readonly tls: TlsMaterial
  readonly limits?: Partial<SmtpLimits>
  /** Whether a peer is a load balancer that sends a PROXY header. */
  readonly isBalancer?: (address: string) => boolean
  readonly clock: Clock
  readonly logger: Logger
}

export function createSubmissionListener(options: SubmissionListenerOptions): SmtpServer {
  const { hostname, postmaster, core, delivery, implicitTls, tls, limits, isBalancer, clock } = options
  const service = implicitTls ? 'submissions' : 'submission'
  const log = options.logger.child({ service })
  const handlers = createSubmissionHandlers({ hostname, postmaster, core, verdict: delivery.verdict, log })
  const maxCommandBytes = SUBMISSION_MAX_COMMAND_BYTES
  const settings = { hostname, service, handlers, tls, implicitTls, maxCommandBytes, clock, log }
  return new SmtpServer({ ...settings, ...(limits && { limits }), ...(isBalancer && { isBalancer }) })
}

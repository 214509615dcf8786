/**
 * Mail from the authors of this installation (RFC 6409): 587 with STARTTLS, 465 with TLS from the first octet (RFC 8314). Passwords
 * pass only over TLS; what a user may send, and as whom, the core decides.
 */
import type { Core } from '../../jmap/services.ts'
import type { Clock } from '../../server/base/clock.ts'
import { SUBMISSION_MAX_COMMAND_BYTES } from '../../server/base/limits.ts'
import type { Logger } from '../../server/base/logger.ts'
import type { Delivery } from '../inbound/delivery.ts'
import { type SmtpLimits, SmtpServer, type TlsMaterial } from '../smtp/server.ts'
import { createSubmissionHandlers } from './session.ts'

export interface SubmissionListenerOptions {
  readonly hostname: string
  readonly postmaster: string
  readonly core: Pick<Core, 'authenticate' | 'submit'>
  readonly delivery: Delivery
  readonly implicitTls: boolean
  readonly tls: TlsMaterial
  readonly limits?: Partial<SmtpLimits>
  /** Peers that say by the PROXY protocol who connects. */
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

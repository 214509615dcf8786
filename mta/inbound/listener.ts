/**
 * Mail from outside (port 25): the listener, what it says (session.ts), what it refuses (checks/) and how a message gets into mailboxes
 * (delivery.ts). It relays nothing and asks nobody to authenticate; a message is acknowledged only when the core has it on disk.
 */
import type { Clock } from '../../server/base/clock.ts'
import { SMTP_MAX_COMMAND_BYTES } from '../../server/base/limits.ts'
import type { Logger } from '../../server/base/logger.ts'
import { returnAddresses } from '../reports/returned.ts'
import type { Pace } from '../smtp/pace.ts'
import { type SmtpLimits, SmtpServer, type TlsMaterial } from '../smtp/server.ts'
import type { InboundCheck } from './checks/check.ts'
import type { Delivery } from './delivery.ts'
import { createInboundHandlers } from './session.ts'

export interface InboundListenerOptions {
  readonly hostname: string
  readonly postmaster: string
  readonly delivery: Delivery
  /** Run in order over each message. */
  readonly checks: readonly InboundCheck[]
  /** Secrets that return addresses are made with; none: there are none. */
  readonly returnKeys?: readonly Uint8Array[]
  readonly tls: TlsMaterial | null
  readonly limits?: Partial<SmtpLimits>
  readonly pace?: Pace
  readonly isBalancer?: (address: string) => boolean
  readonly clock: Clock
  readonly logger: Logger
}

export function createInboundListener(options: InboundListenerOptions): SmtpServer {
  const { hostname, postmaster, delivery, checks, tls, limits, pace, isBalancer, clock } = options
  const log = options.logger.child({ service: 'smtp' })
  const returns = returnAddresses(options.returnKeys ?? [], clock)
  const handlers = createInboundHandlers({ hostname, postmaster, delivery, checks, returns, log })
  const maxCommandBytes = SMTP_MAX_COMMAND_BYTES
  return new SmtpServer({
    hostname,
    service: 'smtp',
    handlers,
    tls,
    maxCommandBytes,
    clock,
    log,
    ...(limits && { limits }),
    ...(pace && { pace }),
    ...(isBalancer && { isBalancer }),
  })
}

/**
 * The listener of port 25 for mail from outside, with its handlers (handlers.ts), checks (checks/) and local delivery (local-delivery.ts). It
 * relays nothing and offers no AUTH; a message is acknowledged when the core has it on disk.
 */
import type { KeyObject } from 'node:crypto'
import type { Clock } from '../../server/base/clock.ts'
import type { Logger } from '../../server/base/logger.ts'
import { SMTP_MAX_COMMAND_BYTES } from '../../server/base/smtp-limits.ts'
import { returnAddresses } from '../reports/return-addresses.ts'
import type { ClientRateLimiter } from '../smtp/client-rate-limiter.ts'
import type { SmtpLimits } from '../smtp/limits.ts'
import { SmtpServer, type TlsMaterial } from '../smtp/server.ts'
import type { InboundCheck } from './checks/check.ts'
import { createInboundHandlers } from './handlers.ts'
import type { LocalDelivery } from './local-delivery.ts'

export interface InboundListenerOptions {
  readonly hostname: string
  readonly postmaster: string
  readonly delivery: LocalDelivery
  /** Checks of each message, in order. */
  readonly checks: readonly InboundCheck[]
  /** Secrets of the return addresses; without any there are no return addresses. */
  readonly returnKeys?: readonly KeyObject[]
  readonly tls: TlsMaterial | null
  readonly limits?: Partial<SmtpLimits>
  readonly rateLimiter?: ClientRateLimiter
  readonly isBalancer?: (address: string) => boolean
  readonly clock: Clock
  readonly logger: Logger
}

export function createInboundListener(options: InboundListenerOptions): SmtpServer {
  const { hostname, postmaster, delivery, checks, tls, limits, rateLimiter, isBalancer, clock } = options
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
    ...(rateLimiter && { rateLimiter }),
    ...(isBalancer && { isBalancer }),
  })
}

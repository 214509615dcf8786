/**
 * One core out of two: what may write runs in the writer thread, reading here, beside the sockets (spec/measured.md, Threads). The
 * answer to a write comes after its commit, so that a read that follows it sees it.
 */
import type { Core, StateChange } from '../../jmap/core.ts'
import type { HostedCore } from '../../jmap/create-core.ts'
import { parseRequest } from '../../jmap/protocol/request.ts'
import { readSocketMessage } from '../../jmap/protocol/socket-message.ts'
import type { Push } from '../../jmap/push/push.ts'
import type { Clock } from '../base/clock.ts'
import { PARSE_BEFORE_WRITER_MAX_BYTES } from '../base/limits.ts'
import type { Logger, LogLevel } from '../base/logger.ts'
import {
  remoteCore,
  remoteDomainChecks,
  remoteIdempotency,
  remoteModelDrafts,
  remotePush,
  remoteWebhooks,
} from './core-calls.ts'
import { type CorePlan, type LocalCore, openLocalCore } from './local-core.ts'
import { splitPolicies } from './policies.ts'
import { startWriter } from './writer.ts'

export interface SplitCoreOptions {
  readonly plan: CorePlan
  readonly logLevel: LogLevel
  readonly clock: Clock
  readonly logger: Logger
  /** The writer has died of a fault: nothing can be written any more. */
  readonly onFatal: (error: Error) => void
}

export async function openSplitCore(options: SplitCoreOptions): Promise<LocalCore> {
  const { plan, logLevel, clock, logger, onFatal } = options
  const listeners = new Set<(change: StateChange) => void>()
  const emit = (change: unknown) => {
    for (const listener of listeners) listener(change as StateChange)
  }
  const writer = await startWriter({ plan, logLevel }, emit, onFatal)
  const remote = remoteCore(writer.rpc)
  const local = await openLocalCore({
    plan,
    clock,
    logger,
    reading: { drainIndex: remote.drainIndex, noteKeyUse: remote.noteKeyUse, keepVerifier: remote.keepVerifier },
  }).catch(async (error: unknown) => {
    await writer.close()
    throw error
  })
  return {
    ...local,
    core: {
      // What is not said otherwise below only reads, and runs here.
      ...local.core,
      ...remote,
      ...routed(local.core, remote),
      transportPolicies: splitPolicies(local.core.transportPolicies, writer.rpc),
      push: pushOf(local.core.push, remotePush(writer.rpc)),
      idempotency: remoteIdempotency(writer.rpc),
      modelDrafts: { ...remoteModelDrafts(writer.rpc), nextAt: () => local.core.modelDrafts.nextAt() },
      webhooks: { ...remoteWebhooks(writer.rpc), nextAt: () => local.core.webhooks.nextAt() },
      domainChecks: { ...remoteDomainChecks(writer.rpc), nextAt: () => local.core.domainChecks.nextAt() },
      onStateChange(listener) {
        listeners.add(listener)
        return () => void listeners.delete(listener)
      },
      async close() {
        await local.core.close()
        await writer.close()
      },
    },
  }
}

/** Channels look here; what writes runs there. */
function pushOf(local: Push, remote: Pick<Push, 'ring' | 'claim' | 'report'>): Push {
  return {
    ...remote,
    vapidKeys: local.vapidKeys,
    renew: (...args) => local.renew(...args),
    look: (...args) => local.look(...args),
    onMissedChanges: (listener) => local.onMissedChanges(listener),
    nextAt: () => local.nextAt(),
  }
}

type Processing = Pick<Core, 'process' | 'processText' | 'processMessage'>

function routed(local: HostedCore, remote: Processing): Processing {
  return {
    process: (principal, request, once) =>
      local.mayWrite(request) ? remote.process(principal, request, once) : local.process(principal, request),
    processText(principal, body) {
      // Large requests carry objects to write; parsing one here only to learn that would hold up the sockets.
      if (body.length > PARSE_BEFORE_WRITER_MAX_BYTES) return remote.processText(principal, body)
      const parsed = parseRequest(body, local.limits)
      if (!('request' in parsed)) return local.processText(principal, body)
      if (local.mayWrite(parsed.request)) return remote.processText(principal, body)
      return local.answer(principal, parsed.request)
    },
    processMessage(principal, message, mayRun) {
      const isLarge = message.length > PARSE_BEFORE_WRITER_MAX_BYTES
      const read = isLarge ? null : readSocketMessage(message, local.limits)
      const writes = read === null || (read.kind === 'request' && local.mayWrite(read.request))
      return (writes ? remote : local).processMessage(principal, message, mayRun)
    },
  }
}

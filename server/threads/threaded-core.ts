/**
 * The core with a writer thread: what may write runs there, and what reads runs here, beside the sockets (spec/measured.md, Threads). A
 * write is answered after its commit, so a read that follows sees it.
 */

import { StateChanges } from '../../jmap/push/state-changes.ts'
import { type CoreCalls, type CoreParts, callsOf, runHere } from '../../jmap/services.ts'
import type { Clock } from '../base/clock.ts'
import { Failure } from '../base/errors.ts'
import type { Fatal } from '../base/fatal.ts'
import { PARSE_BEFORE_WRITER_MAX_BYTES } from '../base/limits.ts'
import type { Logger, LogLevel } from '../base/logger.ts'
import type { CorePlan } from './core-plan.ts'
import { type OpenedCore, openInProcess } from './in-process.ts'
import { detach } from './octets.ts'
import type { RpcClient } from './rpc.ts'
import type { WriterEvent } from './serve-writer.ts'
import { startWriter } from './writer.ts'

export interface ThreadedCoreOptions {
  readonly plan: CorePlan
  readonly logLevel: LogLevel
  readonly clock: Clock
  readonly logger: Logger
  /** Called when nothing can be written any more. */
  readonly onFatal: (fatal: Fatal) => void
}

export async function openThreadedCore(options: ThreadedCoreOptions): Promise<OpenedCore> {
  const { plan, logLevel, clock, logger, onFatal } = options
  const stateChanges = new StateChanges()
  const onEvent = (event: WriterEvent) => {
    if ('change' in event) stateChanges.emit(event.change)
    else onFatal({ cause: 'disk', error: new Failure('storageUnavailable', event.diskFault) })
  }
  const writer = await startWriter({ plan, logLevel }, onEvent, (error) => onFatal({ cause: 'thread', error }))
  const calls = (parts: CoreParts) => threadedCalls(parts, writer.rpc)
  const opened = await openInProcess({ plan, clock, logger, writer: { callsOf: calls, stateChanges } }).catch(
    async (error: unknown) => {
      await writer.close()
      throw error
    },
  )
  const { core } = opened
  const close = async () => {
    await core.close()
    await writer.close()
  }
  return { ...opened, core: { ...core, close } }
}

function threadedCalls(parts: CoreParts, rpc: RpcClient): CoreCalls {
  return callsOf((service, path) => {
    if (service.access === 'reads') return runHere(service, parts)
    const { sent, givenFrom = PARSE_BEFORE_WRITER_MAX_BYTES } = service.transfer
    const runThere = (...args: unknown[]) => {
      const { value, transfer } = sent
        ? detach(args, sent === 'given' ? givenFrom : undefined)
        : { value: args, transfer: [] }
      return rpc.call(path, value, transfer)
    }
    if (service.access === 'writes') return runThere
    const runIfReading = service.runIfReading as (parts: CoreParts, ...args: unknown[]) => unknown
    return (...args) => runIfReading(parts, ...args) ?? runThere(...args)
  })
}

/**
 * The core with a writer thread: what may write runs there, and what reads runs here, beside the sockets (spec/measured.md, Threads). A
 * write is answered after its commit, so a read that follows sees it.
 */

import { type StateChange, StateChanges } from '../../jmap/push/state-changes.ts'
import { type CoreCalls, type CoreParts, callsOf, runHere } from '../../jmap/services.ts'
import type { Clock } from '../base/clock.ts'
import type { Logger, LogLevel } from '../base/logger.ts'
import type { CorePlan } from './core-plan.ts'
import { type OpenedCore, openInProcess } from './in-process.ts'
import { detach } from './octets.ts'
import type { RpcClient } from './rpc.ts'
import { startWriter } from './writer.ts'

export interface ThreadedCoreOptions {
  readonly plan: CorePlan
  readonly logLevel: LogLevel
  readonly clock: Clock
  readonly logger: Logger
  /** Called when the writer has died: nothing can be written any more. */
  readonly onFatal: (error: Error) => void
}

export async function openThreadedCore(options: ThreadedCoreOptions): Promise<OpenedCore> {
  const { plan, logLevel, clock, logger, onFatal } = options
  const stateChanges = new StateChanges()
  const writer = await startWriter({ plan, logLevel }, (event) => stateChanges.emit(event as StateChange), onFatal)
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
    const { sent } = service.transfer
    const runThere = (...args: unknown[]) => {
      const { value, transfer } = sent ? detach(args, sent === 'given') : { value: args, transfer: [] }
      return rpc.call(path, value, transfer)
    }
    if (service.access === 'writes') return runThere
    const runIfReading = service.runIfReading as (parts: CoreParts, ...args: unknown[]) => unknown
    return (...args) => runIfReading(parts, ...args) ?? runThere(...args)
  })
}

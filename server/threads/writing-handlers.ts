/** Answers the calls that may write, for other threads. */
import { type Core, SERVICE_LINES } from '../../jmap/services.ts'
import { RETURNED_GIVEN_FROM_BYTES } from '../base/limits.ts'
import { detach } from './octets.ts'
import type { RpcHandler } from './rpc.ts'

export function writingHandlers(core: Core): ReadonlyMap<string, RpcHandler> {
  const handlers = new Map<string, RpcHandler>()
  for (const [path, service] of SERVICE_LINES) {
    if (service.access === 'reads') continue
    const call = callAt(core, path)
    const { returned } = service.transfer
    handlers.set(path, async (...args) => {
      const value = await call(...args)
      return returned ? detach(value, RETURNED_GIVEN_FROM_BYTES) : { value }
    })
  }
  return handlers
}

/** @param path of a line, such as `push.claim` */
function callAt(core: Core, path: string): (...args: unknown[]) => Promise<unknown> {
  return path.split('.').reduce<unknown>((at, name) => (at as Record<string, unknown>)[name], core) as never
}

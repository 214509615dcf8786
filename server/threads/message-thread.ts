/** The entry of a thread that works on large messages. The other threads of the process come first. */
import { enableCompileCache } from 'node:module'
import { constants, platform, setPriority } from 'node:os'
import { parentPort, workerData } from 'node:worker_threads'
import type { RpcHandler } from './rpc.ts'

export interface MessageThreadData {
  /** Folder of the main thread's compile cache; null: it has none. */
  readonly compileCache: string | null
}

const { compileCache } = workerData as MessageThreadData
if (compileCache !== null) enableCompileCache(compileCache)
// On Linux this is the priority of the calling thread (setpriority(2), NOTES).
if (platform() === 'linux') setPriority(constants.priority.PRIORITY_BELOW_NORMAL)
const { WORK_HERE } = await import('../../jmap/type/message-work.ts')
const { detach } = await import('./octets.ts')
const { serveRpc } = await import('./rpc.ts')

serveRpc(
  parentPort!,
  new Map<string, RpcHandler>([
    ['parse', async (message: Uint8Array) => ({ value: await WORK_HERE.parse(message) })],
    [
      'decode',
      // The content may be the octets that came.
      async (body: Uint8Array, encoding: string) => detach(await WORK_HERE.decode(body, encoding), 0),
    ],
    [
      'findMarks',
      async (body: Uint8Array, encoding: string, size: number) => ({
        value: await WORK_HERE.findMarks(body, encoding, size),
      }),
    ],
  ]),
)

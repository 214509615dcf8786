/** The entry of a thread that parses messages. It yields to the other threads of the process. */
import { enableCompileCache } from 'node:module'
import { constants, platform, setPriority } from 'node:os'
import { parentPort, workerData } from 'node:worker_threads'

export interface MessageThreadData {
  /** Folder of the main thread's compile cache; null: it has none. */
  readonly compileCache: string | null
}

const { compileCache } = workerData as MessageThreadData
if (compileCache !== null) enableCompileCache(compileCache)
// On Linux this is the priority of the calling thread (setpriority(2), NOTES).
if (platform() === 'linux') setPriority(constants.priority.PRIORITY_BELOW_NORMAL)
const { parseMessage } = await import('../../jmap/message/structure.ts')
const { serveRpc } = await import('./rpc.ts')

serveRpc(parentPort!, new Map([['parse', async (bytes: Uint8Array) => ({ value: parseMessage(bytes) })]]))

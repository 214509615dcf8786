/** The entry of a thread that works on large messages. The other threads of the process come first. */
import { constants, platform, setPriority } from 'node:os'
import { parentPort } from 'node:worker_threads'
import { WORK_HERE } from '../../jmap/type/message-work.ts'
import { detach } from './octets.ts'
import { type RpcHandler, serveRpc } from './rpc.ts'

// On Linux this is the priority of the calling thread (setpriority(2), NOTES).
if (platform() === 'linux') setPriority(constants.priority.PRIORITY_BELOW_NORMAL)

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

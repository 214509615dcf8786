/** The entry of a thread that works on large messages. The other threads of the process come first. */
import { constants, platform, setPriority } from 'node:os'
import { parentPort } from 'node:worker_threads'
import type { PlannedMessage } from '../../jmap/calendars/itip/scheduling-job.ts'
import { WORK_HERE } from '../../jmap/type/message-work.ts'
import { freeMemory, type WholeOctets } from '../base/free-memory.ts'
import { detach } from './octets.ts'
import { type RpcHandler, serveRpc } from './rpc.ts'

// On Linux this is the priority of the calling thread (setpriority(2), NOTES).
if (platform() === 'linux') setPriority(constants.priority.PRIORITY_BELOW_NORMAL)

serveRpc(
  parentPort!,
  new Map<string, RpcHandler>([
    ['parse', async (message: Uint8Array) => ({ value: await freeing(message, WORK_HERE.parse(message)) })],
    [
      'parseLent',
      async (message: WholeOctets) => ({ value: await WORK_HERE.parseLent(message), transfer: [message.buffer] }),
    ],
    [
      'decode',
      async (body: Uint8Array, encoding: string) => {
        const content = await WORK_HERE.decode(body, encoding)
        // The content may be the octets that came.
        if (content.buffer !== body.buffer) freeMemory(body)
        // What fills most of its memory is not copied. Less may be a slice of a pool.
        if (content.length * 2 > content.buffer.byteLength)
          return { value: content, transfer: [content.buffer as ArrayBuffer] }
        return detach(content, 0)
      },
    ],
    [
      'findMarks',
      async (body: Uint8Array, encoding: string, size: number) => ({
        value: await freeing(body, WORK_HERE.findMarks(body, encoding, size)),
      }),
    ],
    [
      'readCalendar',
      async (text: Uint8Array, now: string) => ({ value: await freeing(text, WORK_HERE.readCalendar(text, now)) }),
    ],
    [
      'readCalendarSteps',
      async (text: Uint8Array, now: string) => detach(await freeing(text, WORK_HERE.readCalendarSteps(text, now)), 0),
    ],
    ['planScheduling', async (job: Uint8Array) => ({ value: await freeing(job, WORK_HERE.planScheduling(job)) })],
    [
      'writeScheduling',
      async (job: Uint8Array, message: PlannedMessage) => ({
        value: await freeing(job, WORK_HERE.writeScheduling(job, message)),
      }),
    ],
    [
      'compileNewsletter',
      async (content: Uint8Array) => ({ value: await freeing(content, WORK_HERE.compileNewsletter(content)) }),
    ],
  ]),
)

/** A thread without work does not collect its garbage. */
function freeing<T>(octets: Uint8Array, work: Promise<T>): Promise<T> {
  return work.finally(() => freeMemory(octets))
}

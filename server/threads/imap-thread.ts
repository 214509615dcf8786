/** The entry of a thread that speaks with IMAP servers: one account that is imported from, or logins that are tried. Others come first. */
import { constants, platform, setPriority } from 'node:os'
import { parentPort } from 'node:worker_threads'
import { systemClock } from '../base/clock.ts'
import { IMAP_BEAT_MS } from '../base/imap-limits.ts'
import { tryLogin } from '../imports/imap/login.ts'
import { ImapSession } from '../imports/imap/session.ts'
import type { ImapSessionCalls, SessionPlan } from '../imports/imap/session-port.ts'
import { detach } from './octets.ts'
import { emitEvent, type RpcHandler, serveRpc } from './rpc.ts'

// On Linux this is the priority of the calling thread (setpriority(2), NOTES).
if (platform() === 'linux') setPriority(constants.priority.PRIORITY_BELOW_NORMAL)

/** Octets above which a message is given away instead of copied. */
const GIVEN_FROM = 65_536

let session: ImapSession | null = null

/** @param plan in the first call of a thread; later ones use the same session */
function sessionOf(plan: SessionPlan): ImapSession {
  session ??= new ImapSession(plan, systemClock)
  return session
}

serveRpc(
  parentPort!,
  new Map<string, RpcHandler>([
    ['login', async (plan: SessionPlan) => ({ value: await tryLogin(plan, systemClock) })],
    ['folders', async (plan: SessionPlan) => ({ value: await sessionOf(plan).folders() })],
    [
      'summaries',
      async (plan: SessionPlan, ...args: Parameters<ImapSessionCalls['summaries']>) => ({
        value: await sessionOf(plan).summaries(...args),
      }),
    ],
    [
      'messages',
      async (plan: SessionPlan, ...args: Parameters<ImapSessionCalls['messages']>) =>
        detach(await sessionOf(plan).messages(...args), GIVEN_FROM),
    ],
    ['close', async () => ({ value: await session?.close() })],
  ]),
)

setInterval(() => emitEvent(parentPort!, 'beat'), IMAP_BEAT_MS)

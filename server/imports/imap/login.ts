/** Tries a login before an import is created (decision D12). */
import type { ImapPlace } from '../../../jmap/type/host-ports.ts'
import type { Clock } from '../../base/clock.ts'
import { IMAP_LOGIN_MS, IMAP_NAME_MAX_BYTES } from '../../base/imap-limits.ts'
import { Egress } from '../../egress/safe-fetch.ts'
import { SourceError } from '../import-source.ts'
import { type Connection, Connector } from './connect.ts'
import { targetsOf } from './discovery.ts'
import { sessionFault } from './faults.ts'
import { answerOfError, type SessionAnswer, type SessionPlan } from './session-port.ts'

/** Logs in once and out again. @returns the place that took the login. Never rejects. */
export async function tryLogin(plan: SessionPlan, clock: Clock): Promise<SessionAnswer<ImapPlace>> {
  try {
    const { client, target } = await findAndConnect(plan, new Connector(plan.reach), clock, IMAP_NAME_MAX_BYTES)
    // The login has been judged: a server that does not answer LOGOUT changes nothing.
    void client.logout().catch(() => {})
    clock.after(LOGOUT_MS, () => client.close())
    const { host, port, security, usernames } = target
    return { value: { host, port, security, username: usernames[0]! } }
  } catch (error) {
    return answerOfError(error instanceof SourceError ? error : sessionFault(error, clock.now()))
  }
}

const LOGOUT_MS = 2_000

/** Finds the host and logs in, all within IMAP_LOGIN_MS. @throws SourceError */
export async function findAndConnect(
  { account, reach }: SessionPlan,
  connector: Connector,
  clock: Clock,
  maxLiteral: number,
): Promise<Connection> {
  const until = clock.now() + IMAP_LOGIN_MS
  const egress = new Egress({ clock, ...reach.reach })
  try {
    const fetch = egress.fetch.bind(egress)
    const targets = await targetsOf(account, { srv: connector.srv.bind(connector), fetch })
    return await connector.connect({ targets, password: account.password, maxLiteral, clock, ms: until - clock.now() })
  } finally {
    await egress.close()
  }
}

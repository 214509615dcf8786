/** Handlers of ConferencingConnection. What a provider refuses is not stored: credentials are tried before. */
import type { JsonObject } from '../../../server/base/json.ts'
import { alreadyExists, invalidProperties, type SetError } from '../../protocol/errors.ts'
import type { MethodContext } from '../../type/context.ts'
import type { PrepareOutcome } from '../../type/handlers.ts'
import type { ZoomCredentials } from '../../type/host-ports.ts'
import { objectHandlers } from '../../type/object-handlers.ts'
import { ConferencingConnection, type StoredConnection } from './connection.type.ts'
import { findConnection, sealCredentials } from './connections.ts'
import { retryMeetings } from './meeting-queue.ts'
import { templateFault } from './url-template.ts'

type Prepared = ZoomCredentials | null

const CREDENTIALS = ['account', 'clientId', 'clientSecret'] as const

export const connectionHandlers = objectHandlers<typeof ConferencingConnection, Prepared>(ConferencingConnection, {
  prepareCreate: (method, input) =>
    input.provider === 'zoom' ? tryCredentials(method, input) : Promise.resolve({ prepared: null }),
  prepareUpdate: (method, patch) =>
    CREDENTIALS.some((name) => name in patch) ? tryCredentials(method, patch) : Promise.resolve({ prepared: null }),

  async create({ method, unit }, input, credentials) {
    const { clientId: _id, clientSecret: _secret, ...given } = input
    const fault = faultOf(input.provider, { ...input })
    if (fault) return { error: fault }
    const other = await findConnection(unit, unit.account, input.provider)
    if (other) {
      const words = `${input.provider} is connected to this mailbox already.`
      return { error: alreadyExists(method.id(ConferencingConnection, other.id), words) }
    }
    const number = unit.nextObject()
    const { keyring } = method.services
    await retryMeetings(unit, input.provider)
    return {
      number,
      stored: { ...given, credentials: credentials && sealCredentials(keyring, unit, number, credentials) },
    }
  },

  async update({ method, unit }, number, { next, before, prepared: credentials }) {
    const { clientId, clientSecret, ...shown } = next
    const given = {
      ...shown,
      ...(clientId !== undefined && { clientId }),
      ...(clientSecret !== undefined && { clientSecret }),
    }
    const fault = faultOf(before.provider, given)
    if (fault) return { error: fault }
    const { keyring } = method.services
    if (credentials) await retryMeetings(unit, before.provider)
    return {
      stored: { ...shown, ...(credentials && { credentials: sealCredentials(keyring, unit, number, credentials) }) },
    }
  },
})

/** Members of the other provider have no place, and the own ones are there. */
function faultOf(provider: StoredConnection['provider'], given: JsonObject): SetError | null {
  if (provider === 'jitsi') {
    const wrong = CREDENTIALS.find((name) => (given[name] ?? null) !== null)
    if (wrong) return invalidProperties([wrong], `jitsi has no ${wrong}.`)
    const { urlTemplate } = given
    if (typeof urlTemplate !== 'string') return invalidProperties(['urlTemplate'], 'jitsi needs a urlTemplate.')
    const fault = templateFault(urlTemplate)
    return fault === null ? null : invalidProperties(['urlTemplate'], fault)
  }
  if ((given['urlTemplate'] ?? null) !== null) return invalidProperties(['urlTemplate'], 'zoom has no urlTemplate.')
  return typeof given['account'] === 'string' ? null : invalidProperties(['account'], 'zoom needs an account.')
}

/** Outside of the unit of work, because it asks the provider. */
async function tryCredentials(
  { services }: MethodContext,
  { account, clientId, clientSecret }: JsonObject,
): Promise<PrepareOutcome<Prepared>> {
  if (typeof account !== 'string' || typeof clientId !== 'string' || typeof clientSecret !== 'string') {
    const missing = Object.entries({ account, clientId, clientSecret }).filter(([, value]) => typeof value !== 'string')
    const names = missing.map(([name]) => name)
    return { error: invalidProperties(names, 'zoom needs account, clientId and clientSecret together.') }
  }
  const credentials = { accountId: account, clientId, clientSecret }
  const fault = await services.zoomFault(credentials)
  return fault === null
    ? { prepared: credentials }
    : { error: invalidProperties(['clientSecret'], `Zoom cannot be connected: ${fault}.`) }
}

/** Handlers of Principal: RFC 9670 2. Each account sees its own principal, which nobody can change here. */
import type { JsonObject } from '../../../server/base/json.ts'
import { addressesOf } from '../../../storage/repos/directory.ts'
import { fold } from '../../../storage/search/tokens.ts'
import type { MethodContext } from '../../type/context.ts'
import { passesFilter } from '../../type/filter.ts'
import type { Handlers, ReadContext } from '../../type/handlers.ts'
import { pick } from '../../type/methods/get.ts'
import { listResult } from '../../type/object-handlers.ts'
import { listStored } from '../../type/object-store.ts'
import { ownerZone } from '../availability/owner-zone.ts'
import { CALENDARS, OWN_PRINCIPAL } from '../capability.ts'
import { normalCalendarAddress, OwnAddresses } from '../event/own-addresses.ts'
import { defaultCalendarAddress } from '../participant-identity/participant-identities.ts'
import { ParticipantIdentity } from '../participant-identity/participant-identity.type.ts'
import { Principal } from './principal.type.ts'

export const principalHandlers: Handlers<typeof Principal> = {
  all: async () => [OWN_PRINCIPAL],

  async load(read, { numbers, properties }) {
    if (!numbers.includes(OWN_PRINCIPAL)) return new Map()
    return new Map([[OWN_PRINCIPAL, pick(await ownPrincipal(read), properties)]])
  },

  async query(read, { filter }) {
    const own = await ownPrincipal(read)
    const has = (text: string, ...values: readonly (string | null)[]) =>
      values.some((value) => value !== null && fold(value).includes(fold(text)))
    const addresses = new OwnAddresses(read.reader, read.method.account.number)
    const wanted = addressesIn(filter).map(normalCalendarAddress)
    const known = new Set<string>()
    for (const address of wanted) if (await addresses.has(address)) known.add(address)
    const isFound = passesFilter(filter, {
      accountIds: (ids) => ids === null || ids.includes(read.method.account.id),
      email: (text) => has(text, own.email),
      name: (text) => has(text, own.name),
      text: (text) => has(text, own.name, own.email, own.description),
      type: (type) => own.type === type,
      timeZone: (zone) => own.timeZone === zone,
      calendarAddress: (address) => known.has(normalCalendarAddress(address)),
    })
    return listResult(isFound ? [OWN_PRINCIPAL] : [])
  },

  // Its name and addresses are changed elsewhere.
  canCalculateChanges: () => false,
}

/** Calendar addresses that a filter asks for. */
function addressesIn(filter: unknown): string[] {
  if (typeof filter !== 'object' || filter === null) return []
  return Object.entries(filter).flatMap(([name, value]) =>
    name === 'calendarAddress' && typeof value === 'string'
      ? [value]
      : Array.isArray(value)
        ? value.flatMap(addressesIn)
        : [],
  )
}

async function ownPrincipal({ method, reader }: ReadContext) {
  const { account } = method
  const [identity] = await listStored(reader, account.number, ParticipantIdentity)
  const own = (await addressesOf(reader, account.number)).find(({ kind }) => kind === 'mailbox')
  const calendarAddress = await defaultCalendarAddress(reader, account.number)
  return {
    id: method.id(Principal, OWN_PRINCIPAL),
    type: 'individual' as const,
    name: identity?.data.name || account.name,
    description: null,
    email: own?.address ?? null,
    timeZone: await ownerZone(reader, account.number),
    capabilities: {
      // JMAP Calendars 2.1
      [CALENDARS.urn]: {
        accountId: account.id,
        mayGetAvailability: true,
        mayShareWith: false,
        ...(calendarAddress !== null && { calendarAddress }),
      },
    },
    accounts: { [account.id]: shownAccount(method) },
  }
}

/** As the session shows it, with the capabilities that concern principals. */
function shownAccount({ account, request, services }: MethodContext): JsonObject {
  const session = { services, principal: request.principal, account: account.number, blobTypes: request.blobTypes }
  return {
    name: account.name,
    isPersonal: request.principal.kind === 'mailbox',
    isReadOnly: request.isReadOnly(account.kind),
    accountCapabilities: { [CALENDARS.urn]: CALENDARS.account?.(session) ?? {} },
  }
}

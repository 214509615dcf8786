/** The connections of a mailbox to providers of meetings. Credentials are sealed (promise A5). */
import type { Keyring, SecretPlace } from '../../../server/base/keyring.ts'
import type { AccountUnit, Reader, Store } from '../../../storage/ports.ts'
import { accountsWithObjects } from '../../../storage/repos/objects.ts'
import { type SetError, setError } from '../../protocol/errors.ts'
import type { ZoomCredentials } from '../../type/host-ports.ts'
import { listStored, type Stored, updateStored } from '../../type/object-store.ts'
import type { ConferencingProvider } from '../jscalendar/conferencing.ts'
import { ConferencingConnection } from './connection.type.ts'

export type Connection = Stored<typeof ConferencingConnection>

function placeOf(organization: number, account: number, connection: number): SecretPlace {
  return { purpose: 'conferencing', tenant: organization, row: `${account}/${connection}` }
}

/** null: the provider is not connected to the mailbox. */
export async function findConnection(
  reader: Reader,
  account: number,
  provider: ConferencingProvider,
): Promise<Connection | null> {
  const all = await listStored(reader, account, ConferencingConnection)
  return all.find(({ data }) => data.provider === provider) ?? null
}

export function notConnected(provider: ConferencingProvider, property: string): SetError {
  return {
    ...setError('providerNotConnected', `${provider} is not connected to this mailbox.`),
    properties: [property],
  }
}

type Unit = Pick<AccountUnit, 'account' | 'organization'>

export function sealCredentials(
  keyring: Keyring,
  { account, organization }: Unit,
  connection: number,
  { clientId, clientSecret }: Pick<ZoomCredentials, 'clientId' | 'clientSecret'>,
): string {
  return keyring.seal(JSON.stringify({ clientId, clientSecret }), placeOf(organization, account, connection))
}

/** null: it has none. @throws Failure `corrupt` when they cannot be opened */
export function openCredentials(
  keyring: Keyring,
  { account, organization }: Unit,
  { id, data }: Connection,
): ZoomCredentials | null {
  if (data.credentials === null || data.account === null) return null
  const { clientId, clientSecret } = JSON.parse(keyring.open(data.credentials, placeOf(organization, account, id)))
  return { accountId: data.account, clientId, clientSecret }
}

/** At the start: seals credentials of older keys with the newest one. */
export async function resealConnections(store: Store, keyring: Keyring): Promise<void> {
  const accounts = await store.read((reader) => accountsWithObjects(reader, ConferencingConnection.name))
  for (const account of accounts) {
    const isStale = ({ data }: Connection) => data.credentials !== null && keyring.isStale(data.credentials)
    if (!(await store.read((reader) => listStored(reader, account, ConferencingConnection))).some(isStale)) continue
    await store.write([account], async (work) => {
      const unit = work.account(account)
      for (const connection of await listStored(unit, account, ConferencingConnection)) {
        const credentials = isStale(connection) ? openCredentials(keyring, unit, connection) : null
        if (credentials === null) continue
        const { id, data } = connection
        const sealed = { ...data, credentials: sealCredentials(keyring, unit, id, credentials) }
        await updateStored(unit, ConferencingConnection, { id, data: sealed }, null)
      }
    })
  }
}

/** The participant identities of an account: one for each of its addresses, with the address. */
import type { AccountUnit, Reader } from '../../../storage/ports.ts'
import { addressesOf } from '../../../storage/repos/directory.ts'
import { deleteStored, insertStored, listStored, updateStored } from '../../type/object-store.ts'
import { ParticipantIdentity } from './participant-identity.type.ts'

/** The calendar address of the account's default identity, or of its own mail address; null: it has none. */
export async function defaultCalendarAddress(reader: Reader, account: number): Promise<string | null> {
  const identities = await listStored(reader, account, ParticipantIdentity)
  const chosen = identities.find(({ data }) => data.isDefault)
  if (chosen) return chosen.data.calendarAddress
  const own = (await addressesOf(reader, account)).find(({ kind }) => kind === 'mailbox')
  return own ? `mailto:${own.address}` : null
}

/** Made together with an address of the account. The first one is the default. */
export async function createParticipantIdentity(
  unit: AccountUnit,
  address: string,
  name: string | null,
): Promise<void> {
  const others = await listStored(unit, unit.account, ParticipantIdentity)
  await insertStored(unit, ParticipantIdentity, {
    id: unit.nextObject(),
    data: { name: name ?? '', calendarAddress: `mailto:${address}`, isDefault: others.length === 0 },
  })
}

export async function renameParticipantIdentity(
  unit: AccountUnit,
  address: string,
  name: string | null,
): Promise<void> {
  for (const { id, data } of await listStored(unit, unit.account, ParticipantIdentity))
    if (data.calendarAddress === `mailto:${address}`)
      await updateStored(unit, ParticipantIdentity, { id, data: { ...data, name: name ?? '' } }, ['name'])
}

/** The account loses the address. If its identity was the default, another one becomes it. */
export async function destroyParticipantIdentity(unit: AccountUnit, address: string): Promise<void> {
  for (const { id, data } of await listStored(unit, unit.account, ParticipantIdentity))
    if (data.calendarAddress === `mailto:${address}`) await deleteStored(unit, ParticipantIdentity, id)
  const left = await listStored(unit, unit.account, ParticipantIdentity)
  const [next] = left
  if (next && !left.some(({ data }) => data.isDefault))
    await updateStored(unit, ParticipantIdentity, { ...next, data: { ...next.data, isDefault: true } }, ['isDefault'])
}

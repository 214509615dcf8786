/** Keys of push subscriptions are sealed (promise A5), because they decrypt the pushes. */
import type { Keyring, SecretPlace } from '../../../server/base/keyring.ts'
import type { Store } from '../../../storage/ports.ts'
import { listPushKeys, updatePushSubscription } from '../../../storage/repos/push-subscriptions.ts'
import type { PushSubscriptionTable } from '../../../storage/schema/push-subscription.ts'
import type { PushKeys } from '../encryption.ts'

type Row = Pick<PushSubscriptionTable, 'account' | 'id' | 'organization'>

function placeOf({ account, id, organization }: Row): SecretPlace {
  return { purpose: 'push', tenant: organization, row: `${account}/${id}` }
}

export function sealPushKeys(keyring: Keyring, row: Row, { p256dh, auth }: PushKeys): string {
  return keyring.seal(JSON.stringify({ p256dh, auth }), placeOf(row))
}

/** null: the subscription has none. @throws Failure `corrupt` when they cannot be opened */
export function openPushKeys(keyring: Keyring, row: Row & Pick<PushSubscriptionTable, 'keys'>): PushKeys | null {
  return row.keys === null ? null : (JSON.parse(keyring.open(row.keys, placeOf(row))) as PushKeys)
}

/** At the start: seals secrets of older keys with the newest one. */
export async function resealPushKeys(store: Store, keyring: Keyring): Promise<void> {
  const rows = await store.read(listPushKeys)
  for (const row of rows) {
    if (!keyring.isStale(row.keys)) continue
    const keys = openPushKeys(keyring, row)!
    await store.write([row.account], (unit) =>
      updatePushSubscription(unit, row, { keys: sealPushKeys(keyring, row, keys) }),
    )
  }
}

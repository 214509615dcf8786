/**
 * Secrets of the installation: made once, the same on all its nodes, kept among the facts about it. They are sealed like other secrets
 * (promise A5); unsealed ones of older versions are sealed at the next start.
 */
import type { Keyring, SecretPlace } from '../../server/base/keyring.ts'
import type { Store } from '../../storage/ports.ts'
import { changeFact, findFact, keepFact } from '../../storage/repos/installation.ts'

/** `id_key`: of ids. `rest_cursor_key`: of cursors. `vapid_key`: the installation's key pair at push services. */
export const INSTALLATION_SECRETS = ['id_key', 'rest_cursor_key', 'vapid_key'] as const
export type InstallationSecret = (typeof INSTALLATION_SECRETS)[number]

function placeOf(name: InstallationSecret): SecretPlace {
  return { purpose: 'installation', tenant: 0, row: name }
}

/** @throws Failure `corrupt` when it is sealed with a key that is not known */
export async function installationSecret(
  { store, keyring }: { readonly store: Store; readonly keyring: Keyring },
  name: InstallationSecret,
  make: () => string,
): Promise<string> {
  const find = () => store.read((reader) => findFact(reader, name))
  let kept = await find()
  if (kept === null) {
    // If several nodes start at once, that of the first counts.
    await store.write([], (unit) => keepFact(unit.sql, name, keyring.seal(make(), placeOf(name))))
    kept = (await find())!
  }
  return keyring.isSealed(kept) ? keyring.open(kept, placeOf(name)) : kept
}

/** Seals secrets that are unsealed or sealed with an older key. */
export async function sealInstallationSecrets(store: Store, keyring: Keyring): Promise<void> {
  for (const name of INSTALLATION_SECRETS) {
    await store.write([], async (unit) => {
      const kept = await findFact(unit, name)
      if (kept === null || !keyring.isStale(kept)) return
      const clear = keyring.isSealed(kept) ? keyring.open(kept, placeOf(name)) : kept
      await changeFact(unit.sql, name, keyring.seal(clear, placeOf(name)))
    })
  }
}

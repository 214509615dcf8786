/** Passwords of imports are sealed (promise A5); at the start those of older keys are sealed with the newest one. */
import type { Keyring } from '../../server/base/keyring.ts'
import type { Store } from '../../storage/ports.ts'
import { findImport, importSecrets, saveImportSecret } from '../../storage/repos/imports.ts'
import { openPassword, sealPassword } from './stored.ts'

/** @throws Failure `corrupt` if the key of a password is missing */
export async function resealImports(store: Store, keyring: Keyring): Promise<void> {
  for (const { account, organization, id, secret } of await store.read(importSecrets)) {
    if (!keyring.isStale(secret)) continue
    const owner = { organization, account }
    const sealed = sealPassword(keyring, owner, id, openPassword(keyring, owner, id, secret))
    await store.write([account], async (work) => {
      const unit = work.account(account)
      // Another node may have ended the import, or sealed its password.
      if ((await findImport(unit, account, id))?.secret === secret) await saveImportSecret(unit, id, sealed)
    })
  }
}

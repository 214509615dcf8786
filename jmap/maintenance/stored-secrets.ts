/**
 * At the start: encrypts secrets that are in clear, because they are older than the key, or under an older key, with the newest key
 * (promise A5).
 */
import { listAccounts } from '../../storage/repos/accounts.ts'
import { sealDnsAccess } from '../policy/dns/access.ts'
import { sealDkimKeys } from '../policy/domain/dkim-store.ts'
import { sealRelays } from '../policy/domain/relay.ts'
import { sealRegistrants } from '../policy/registration/order.ts'
import type { Services } from '../type/context.ts'
import { sealWebhooks } from '../webhooks/stored.ts'
import { sealInstallationSecrets } from './installation-secrets.ts'

/** @throws Failure `corrupt` if the key of a secret is missing: then nothing is changed */
export async function sealStoredSecrets({ store, keyring }: Pick<Services, 'store' | 'keyring'>): Promise<void> {
  await sealInstallationSecrets(store, keyring)
  const organizations = await store.read((reader) => listAccounts(reader, { kind: 'organization' }))
  for (const { id } of organizations) {
    await store.write([id], async (work) => {
      await sealDkimKeys(work.account(id), keyring)
      await sealRelays(work.account(id), keyring)
      await sealDnsAccess(work.account(id), keyring)
      await sealRegistrants(work.account(id), keyring)
      await sealWebhooks(work.account(id), keyring)
    })
  }
}

/** The accounts of organizations, for administrators. JMAP calls in these accounts create their domains, mailboxes and keys. */
import { listAccounts } from '../../storage/repos/accounts.ts'
import type { Services } from '../type/context.ts'
import { createOrganization } from './organization.handlers.ts'

export interface OrganizationAccount {
  readonly account: number
  readonly accountId: string
  readonly name: string
}

export async function createOrganizationAccount(
  { store, ids }: Pick<Services, 'store' | 'ids'>,
  name: string,
): Promise<OrganizationAccount> {
  const account = await createOrganization(store, name)
  return { account, accountId: ids.accountId('organization', account), name }
}

export async function listOrganizationAccounts({
  store,
  ids,
}: Pick<Services, 'store' | 'ids'>): Promise<OrganizationAccount[]> {
  const rows = await store.read((reader) => listAccounts(reader, { kind: 'organization' }))
  return rows.map(({ id, name }) => ({ account: id, accountId: ids.accountId('organization', id), name }))
}

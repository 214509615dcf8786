/**
 * The consistency check: it computes everything that is stored twice (counts, side tables, change log, blobs) again and compares. It
 * runs after every storage and JMAP test, and as `posthouse verify`. It only reads, in one snapshot.
 */
import { integrityFaults } from '../dialect/integrity.ts'
import type { Store } from '../ports.ts'
import { checkAccounts } from './accounts.ts'
import { checkBlobs } from './blobs.ts'
import { checkChangeLog } from './change-log.ts'
import { checkDirectory } from './directory.ts'
import type { Fault } from './fault.ts'
import { checkMail } from './mail.ts'
import type { ObjectTypes } from './object-types.ts'
import { checkOutgoing } from './outgoing.ts'

export interface CheckOptions {
  /** Reads every octet of every blob and compares its hash, instead of checking only that it exists. */
  readonly deep?: boolean
}

export async function checkStore(
  store: Pick<Store, 'read' | 'blobs'>,
  types: ObjectTypes,
  options: CheckOptions = {},
): Promise<Fault[]> {
  const { deep = false } = options
  return store.read(async (reader) => {
    const accounts = await reader.sql.query((db) =>
      db.selectFrom('account').select(['id', 'kind', 'deleted_at']).orderBy('id'),
    )
    const damage = await integrityFaults(reader.sql, deep)
    const faults: Fault[] = damage.map((detail) => ({ account: 0, kind: 'engine', detail }))
    faults.push(...(await checkAccounts(reader, types)))
    for (const { id, kind, deleted_at } of accounts) {
      faults.push(...(await checkChangeLog(reader, id, types)))
      if (kind === 'mailbox' && deleted_at === null) faults.push(...(await checkMail(reader, id)))
    }
    faults.push(...(await checkDirectory(reader)), ...(await checkOutgoing(reader)))
    faults.push(...(await checkBlobs(reader, store.blobs, deep)))
    return faults
  })
}

/** The faults as one line each, for tests. */
export async function faultsOf(store: Store, types: ObjectTypes): Promise<string[]> {
  return (await checkStore(store, types)).map(({ account, kind, detail }) => `account ${account}: ${kind}: ${detail}`)
}

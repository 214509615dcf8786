/**
 * The consistency check: everything that is kept twice (counts, side tables, change log, blobs) is worked out anew and compared.
 * It runs after every storage and JMAP test, and as `posthouse verify`. It reads only, in one moment.
 */
import { engineFaults } from '../dialect/integrity.ts'
import type { Store } from '../ports.ts'
import { checkAccounts } from './accounts.ts'
import { checkBlobs } from './blobs.ts'
import { checkChangeLog } from './change-log.ts'
import { checkDirectory } from './directory.ts'
import { checkMail } from './mail.ts'
import { checkOutgoing } from './outgoing.ts'

export interface Fault {
  /** Account number; 0 for what belongs to none. */
  readonly account: number
  /** What is wrong, such as `mailbox-count`, `blob-missing`. */
  readonly kind: string
  readonly detail: string
}

export interface CheckOptions {
  /** Reads every octet of every blob and compares its hash, instead of looking whether it is there. */
  readonly deep?: boolean
}

/** What of a store is looked at. */
type Checkable = Pick<Store, 'read' | 'blobs'>

export async function checkStore(store: Checkable, options: CheckOptions = {}): Promise<Fault[]> {
  return store.read(async (reader) => {
    const accounts = await reader.sql.query((db) =>
      db.selectFrom('account').select(['id', 'kind', 'deleted_at']).orderBy('id'),
    )
    const faults: Fault[] = await engineFaults(reader.sql, options.deep ?? false)
    faults.push(...(await checkAccounts(reader)))
    for (const { id, kind, deleted_at } of accounts) {
      faults.push(...(await checkChangeLog(reader, id)))
      if (kind === 'mailbox' && deleted_at === null) faults.push(...(await checkMail(reader, id)))
    }
    faults.push(...(await checkDirectory(reader)), ...(await checkOutgoing(reader)))
    faults.push(...(await checkBlobs(reader, store.blobs, options.deep ?? false)))
    return faults
  })
}

/** The same as one line each, for tests. */
export async function faultsOf(store: Store): Promise<string[]> {
  return (await checkStore(store)).map(({ account, kind, detail }) => `account ${account}: ${kind}: ${detail}`)
}

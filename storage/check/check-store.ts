/**
 * The consistency check: it computes everything that is stored twice (counts, side tables, change log, blobs) again and compares. It
 * runs after every storage and JMAP test, and as `posthouse verify`. It only reads, in one snapshot. A part that cannot be read is a fault,
 * and the check goes on with the others.
 */
import { errorMessage } from '../../server/base/errors.ts'
import { integrityFaults } from '../dialect/integrity.ts'
import type { Reader, Store } from '../ports.ts'
import { tablesOf } from '../schema/database.ts'
import { checkAccounts } from './accounts.ts'
import { checkAudiences } from './audiences.ts'
import { checkBlobs } from './blobs.ts'
import { checkCalendar } from './calendar.ts'
import { checkChangeLog } from './change-log.ts'
import { checkDirectory } from './directory.ts'
import { checkEmailTexts, type TextsOf } from './email-texts.ts'
import type { Fault } from './fault.ts'
import { filledTables } from './filled-tables.ts'
import { checkMail } from './mail.ts'
import { checkNewsletters } from './newsletters.ts'
import type { ObjectTypes } from './object-types.ts'
import { checkOutgoing } from './outgoing.ts'

export interface CheckOptions {
  /** Reads every octet of every blob and compares its hash, instead of checking only that it exists. */
  readonly deep?: boolean
  /** With `deep`: computes what rows of emails say about their messages, for comparison. */
  readonly textsOf?: TextsOf
}

export async function checkStore(
  store: Pick<Store, 'read' | 'blobs'>,
  types: ObjectTypes,
  options: CheckOptions = {},
): Promise<Fault[]> {
  const { deep = false, textsOf } = options
  return store.read(async (reader) => {
    const parts = new Parts(reader)
    const { blobs } = store
    let accounts: Awaited<ReturnType<typeof listAccounts>> = []
    // If that cannot be found out, each part says what cannot be read.
    let tables = tablesOf(reader.sql.engine)
    await parts.check(0, 'engine', async () =>
      (await integrityFaults(reader.sql, deep)).map((detail) => ({ account: 0, kind: 'engine', detail })),
    )
    await parts.check(0, 'account', async () => {
      accounts = await listAccounts(reader)
      tables = await filledTables(reader.sql)
      return checkAccounts(reader, types, tables)
    })
    for (const { id, kind, deleted_at } of accounts) {
      await parts.check(id, 'change-log', () => checkChangeLog(reader, id, { types, tables }))
      if (kind !== 'mailbox' || deleted_at !== null) continue
      await parts.check(id, 'mail', () => checkMail(reader, id))
      await parts.check(id, 'calendar', () => checkCalendar(reader, id))
      await parts.check(id, 'email-texts', () => checkEmailTexts(reader, blobs, id, deep ? (textsOf ?? null) : null))
    }
    await parts.check(0, 'directory', () => checkDirectory(reader))
    await parts.check(0, 'audiences', () => checkAudiences(reader))
    await parts.check(0, 'outgoing', () => checkOutgoing(reader))
    await parts.check(0, 'newsletters', () => checkNewsletters(reader))
    await parts.check(0, 'blobs', () => checkBlobs(reader, blobs, { deep, tables }))
    return parts.faults
  })
}

function listAccounts(reader: Reader) {
  return reader.sql.query((db) => db.selectFrom('account').select(['id', 'kind', 'deleted_at']).orderBy('id'))
}

/** The parts of a check in one snapshot. One that fails leaves the others alone. */
class Parts {
  readonly faults: Fault[] = []
  readonly #reader: Reader

  constructor(reader: Reader) {
    this.#reader = reader
  }

  async check(account: number, kind: string, find: () => Promise<readonly Fault[]>): Promise<void> {
    // PostgreSQL ends a transaction at its first error, except for what lies behind a savepoint.
    const marks = this.#reader.sql.engine === 'postgres'
    try {
      if (marks) await this.#reader.sql.raw('savepoint part')
      for (const fault of await find()) this.faults.push(fault)
    } catch (error) {
      this.faults.push({ account, kind, detail: `it cannot be read: ${errorMessage(error)}` })
      if (marks) await this.#reader.sql.raw('rollback to savepoint part').catch(() => {})
    }
  }
}

/** The faults as one line each, for tests. */
export async function faultsOf(store: Store, types: ObjectTypes): Promise<string[]> {
  return (await checkStore(store, types)).map(describeFault)
}

export function describeFault({ account, kind, detail }: Fault): string {
  return `account ${account}: ${kind}: ${detail}`
}

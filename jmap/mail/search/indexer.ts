/**
 * The search index follows delivery. A durable mark on each email says that it is not indexed, and slices of marked emails are indexed
 * in one unit of work each (spec/measured.md, Search index). A search first indexes the marked emails of its account, so that delivered
 * mail is always found.
 */
import { isFailure } from '../../../server/base/errors.ts'
import { freeWhole } from '../../../server/base/free-memory.ts'
import { INDEX_SLICE } from '../../../server/base/limits.ts'
import type { Store } from '../../../storage/ports.ts'
import { takeUnindexed, type UnindexedEmail, unindexedEmails } from '../../../storage/repos/unindexed.ts'
import { searchIndexOf } from '../../../storage/search/engines.ts'
import type { IndexedEmail } from '../../../storage/search/search-index.ts'
import { type SearchDocument, type SearchWords, wordsOf } from '../../../storage/search/words.ts'
import type { PendingEmail, PendingEmails, Services } from '../../type/context.ts'
import { readStored } from '../blob/blobs.ts'
import { searchDocument } from './document.ts'
import { pendingKey } from './pending-emails.ts'

/** Indexes all marked emails of an account. */
export async function indexAccount(services: Services, account: number): Promise<void> {
  const { store } = services
  for (;;) {
    const slice = await store.read((reader) => unindexedEmails(reader, account, INDEX_SLICE))
    if (slice.length === 0) return
    await indexSlice(services, slice)
  }
}

/** Indexes a slice of the marked emails of all accounts. Returns their number. */
export async function indexSome(services: Services): Promise<number> {
  const fresh = firstOf(services.pending)
  const slice =
    fresh.length > 0 ? fresh : await services.store.read((reader) => unindexedEmails(reader, null, INDEX_SLICE))
  if (slice.length > 0) await indexSlice(services, slice)
  return slice.length
}

function firstOf(pending: PendingEmails): PendingEmail[] {
  const first: PendingEmail[] = []
  for (const email of pending.values()) {
    if (first.length >= INDEX_SLICE) break
    first.push(email)
  }
  return first
}

async function indexSlice(services: Services, rows: readonly UnindexedEmail[]): Promise<void> {
  const words = new Map<UnindexedEmail, SearchWords>()
  for (const row of rows) words.set(row, wordsOf(await documentOf(services, row)))
  const byAccount = Map.groupBy(rows, ({ account }) => account)
  await services.store.writeBatched([...byAccount.keys()], async (work) => {
    const index = searchIndexOf(work.sql)
    for (const account of [...byAccount.keys()].sort((a, b) => a - b)) {
      const unit = work.account(account)
      const emails: IndexedEmail[] = []
      for (const row of byAccount.get(account)!) {
        const { email: id, thread, received_at: receivedAt } = row
        // Another search may have indexed it meanwhile, or the email was destroyed.
        if (await takeUnindexed(unit, id)) emails.push({ id, thread, receivedAt, words: words.get(row)! })
      }
      await index.add(unit, emails)
    }
  })
}

async function documentOf(services: Services, row: UnindexedEmail): Promise<SearchDocument> {
  const { store, messageWork, pending, logger } = services
  const key = pendingKey(row)
  const known = pending.get(key)
  pending.delete(key)
  if (known) return known.document
  const bytes = await readMessage(store, row).catch((error: unknown) => {
    // A damaged message has no words, but must not keep the others out of the index.
    if (!isFailure(error, 'corrupt')) throw error
    logger.error({ account: row.account, email: row.email, error: error.message }, 'a message could not be indexed')
    return null
  })
  // A large one must not hold up the thread that writes.
  const { parsed, message } = await messageWork.parseLent(bytes ?? new Uint8Array())
  freeWhole(message)
  return searchDocument(parsed)
}

function readMessage(store: Store, { account, blob }: UnindexedEmail): Promise<Uint8Array | null> {
  return store.read((reader) => readStored(store, reader, account, blob))
}

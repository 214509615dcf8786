/**
 * The search index follows delivery: a durable mark on each email says that it is not in yet, and slices of marked emails go in one
 * unit of work each (performance.md, layout 3). A search first drains what its own account has pending, so that what has arrived
 * is always found.
 */
import { isFailure } from '../../../server/base/errors.ts'
import { INDEX_SLICE } from '../../../server/base/limits.ts'
import { takeUnindexed, type UnindexedEmail, unindexedEmails } from '../../../storage/repos/unindexed.ts'
import { searchIndexOf } from '../../../storage/search/engines.ts'
import { type SearchDocument, type SearchWords, wordsOf } from '../../../storage/search/words.ts'
import type { Services } from '../../context.ts'
import { readStored } from '../blobs.ts'
import { searchDocument } from '../ingest.ts'
import { parseMessage } from '../message/structure.ts'

/** Indexes all that is pending in an account, or up to one slice of whatever is pending anywhere. Returns how many it did. */
export async function indexPending(services: Services, account: number | null): Promise<number> {
  let done = 0
  for (;;) {
    const slice = await services.store.read((reader) => unindexedEmails(reader, account, INDEX_SLICE))
    if (slice.length === 0) return done
    for (const owner of new Set(slice.map((row) => row.account)))
      done += await indexSlice(
        services,
        owner,
        slice.filter((row) => row.account === owner),
      )
    if (account === null) return done
  }
}

async function indexSlice(services: Services, account: number, rows: readonly UnindexedEmail[]): Promise<number> {
  const words = new Map<UnindexedEmail, SearchWords>()
  // In the order of time, which is that of FTS5's rows: each step back would be written out on its own.
  for (const row of rows.toSorted((a, b) => a.received_at - b.received_at))
    words.set(row, wordsOf(await documentOf(services, account, row)))
  return services.store.write([account], async (work) => {
    const unit = work.account(account)
    const index = searchIndexOf(unit.sql)
    let done = 0
    for (const [{ email: id, thread, received_at: receivedAt }, found] of words) {
      // Another search, or the destruction of an email, may have come between.
      if (!(await takeUnindexed(unit, id))) continue
      await index.add(unit, { id, thread, receivedAt, words: found })
      done++
    }
    return done
  })
}

async function documentOf(
  services: Services,
  account: number,
  row: { email: number; blob: number },
): Promise<SearchDocument> {
  const key = `${account}/${row.email}`
  const waiting = services.pendingTexts.get(key)
  services.pendingTexts.delete(key)
  if (waiting) return waiting as SearchDocument
  const bytes = await services.store
    .read((reader) => readStored(services.store, reader, account, row.blob))
    .catch((error: unknown) => {
      // A damaged message has no words, but must not keep the others out of the index.
      if (!isFailure(error, 'corrupt')) throw error
      services.logger.error({ account, email: row.email, error: error.message }, 'a message could not be indexed')
      return null
    })
  return searchDocument(parseMessage(bytes ?? new Uint8Array()))
}

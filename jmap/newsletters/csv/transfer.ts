/** Import and export of an audience as CSV, in batches: what REST and the command line have in common. */
import { SUBSCRIBERS_PER_CALL_MAX } from '../../../server/base/audience-limits.ts'
import { CsvFault, csvLine, readRecords } from '../../../server/base/csv.ts'
import type { JsonObject } from '../../../server/base/json.ts'
import type { AddOutcome, SubscriberObject } from '../subscriber/subscriber.type.ts'
import { EXPORT_HEADER, exportLine, planColumns } from './columns.ts'

export interface ImportedRow {
  /** Number of the record in the file; the header is 1. */
  readonly record: number
  readonly email: string
  readonly outcome: AddOutcome
}

/** Subscriber/add of at most SUBSCRIBERS_PER_CALL_MAX rows. */
export type AddBatch = (
  rows: readonly JsonObject[],
) => Promise<readonly { readonly email: string; readonly outcome: AddOutcome }[]>

/**
 * Adds the rows of a CSV file, a batch after the other. What was added before a fault stays; importing the file again merges it.
 * @throws CsvFault for a file that is no CSV, has no column of addresses, or has more than `max` rows
 */
export async function* importCsv(
  chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  add: AddBatch,
  max = Number.POSITIVE_INFINITY,
): AsyncGenerator<readonly ImportedRow[]> {
  let plan: Exclude<ReturnType<typeof planColumns>, string> | null = null
  let rows: JsonObject[] = []
  let record = 1
  const flush = async (): Promise<ImportedRow[]> => {
    const first = record - rows.length + 1
    const results = await add(rows)
    rows = []
    return results.map(({ email, outcome }, i) => ({ record: first + i, email, outcome }))
  }
  for await (const cells of readRecords(chunks)) {
    if (plan === null) {
      const planned = planColumns(cells)
      if (typeof planned === 'string') throw new CsvFault(planned)
      plan = planned
      continue
    }
    if (record > max) throw new CsvFault(`the file has more than ${max} rows`)
    record++
    rows.push(plan.rowOf(cells))
    if (rows.length === SUBSCRIBERS_PER_CALL_MAX) yield await flush()
  }
  if (plan === null) throw new CsvFault('the file is empty')
  if (rows.length > 0) yield await flush()
}

/** The outcomes of an import as CSV. */
export const OUTCOMES_HEADER = csvLine(['record', 'email_address', 'outcome'])

export function outcomeLine({ record, email, outcome }: ImportedRow): string {
  return csvLine([String(record), email, outcome])
}

/** @param page the subscribers before the one of an id, newest first; empty: there are no more */
export async function* exportCsv(
  page: (before: string | null) => Promise<readonly SubscriberObject[]>,
): AsyncGenerator<string> {
  yield EXPORT_HEADER
  for (let before: string | null = null; ; ) {
    const subscribers = await page(before)
    const last = subscribers.at(-1)
    if (!last) return
    yield subscribers.map(exportLine).join('')
    before = last.id
  }
}

import type { BlobStore } from '../blob-store.ts'
import type { Reader } from '../ports.ts'
import { findBlob } from '../repos/blobs.ts'
import type { EmailTable } from '../schema/tables.ts'
import type { Fault } from './fault.ts'

/** What an email's row says about its message. */
export type EmailTexts = Pick<EmailTable, 'packed' | 'structure'>
/** Computes them from a message. */
export type TextsOf = (message: Uint8Array) => EmailTexts

const SLICE = 200

/**
 * The columns `packed` and `structure` are JSON, and say what the message says.
 * @param textsOf null: messages are not read
 */
export async function checkEmailTexts(
  reader: Reader,
  blobs: BlobStore,
  account: number,
  textsOf: TextsOf | null,
): Promise<Fault[]> {
  const faults: Fault[] = []
  for await (const row of textRows(reader, account)) {
    const expected = textsOf && (await expectedTexts(reader, blobs, row.hash, textsOf))
    for (const column of ['packed', 'structure'] as const) {
      const why = isReadable(column, row[column]) ? expected && differs(column, row, expected) : 'cannot be read'
      if (why) faults.push({ account, kind: `email-${column}`, detail: `email ${row.id}: ${why}` })
    }
  }
  return faults
}

/** All emails of an account with these columns and the hashes of their blobs. */
export async function* textRows(reader: Reader, account: number) {
  for (let after = 0; ; ) {
    const rows = await reader.sql.query((db) =>
      db
        .selectFrom('email as e')
        .leftJoin('account_blob as b', (join) => join.onRef('b.account', '=', 'e.account').onRef('b.id', '=', 'e.blob'))
        .select(['e.id', 'e.packed', 'e.structure', 'b.hash'])
        .where('e.account', '=', account)
        .where('e.id', '>', after)
        .orderBy('e.id')
        .limit(SLICE),
    )
    yield* rows
    if (rows.length < SLICE) return
    after = rows.at(-1)!.id
  }
}

/** null: the octets are not there, which is a fault of the blob. */
export async function expectedTexts(
  reader: Reader,
  blobs: BlobStore,
  hash: Uint8Array | null,
  textsOf: TextsOf,
): Promise<EmailTexts | null> {
  const blob = hash && (await findBlob(reader, hash))
  if (!blob) return null
  const bytes = blob.location === null ? blob.data : await blobs.read(blob.location).catch(() => null)
  return bytes && bytes.length === blob.size ? textsOf(bytes) : null
}

function isReadable(column: keyof EmailTexts, text: string): boolean {
  try {
    if (column === 'structure') return Array.isArray(JSON.parse(text))
    for (const line of text.split('\n')) JSON.parse(line)
    return true
  } catch {
    return false
  }
}

function differs(column: keyof EmailTexts, row: EmailTexts, expected: EmailTexts): string | null {
  // Rows of an earlier version have fewer lines.
  const lines = row[column].split('\n').length
  const wanted = expected[column].split('\n').slice(0, lines).join('\n')
  return row[column] === wanted ? null : 'it is not that of the message'
}

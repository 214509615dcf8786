import { int, nullable, oneOf, type RowOf, table, text } from './table.ts'

/** Imports of mail into a mailbox (decisions D12 and D33), and the queue of their work. */
export const importTable = table({
  name: 'import',
  key: ['account', 'id'],
  owner: 'account',
  numbers: [{ column: 'id', of: 'account' }],
  objectType: 'Import',
  columns: {
    account: int,
    id: int,
    status: oneOf(
      'queued',
      'running',
      'paused_throttle',
      'paused_quota',
      'completed',
      'failed',
      'cancelled',
      'undo_queued',
      'undoing',
      'undone',
      'undo_failed',
    ),
    /** JSON of the source without secrets, and of the options. */
    source: text,
    options: text,
    /** The sealed password; null: there is none, or it is no longer needed. */
    secret: nullable(text),
    /** Counters that are no sums over `import_folder`: octets, and messages that an undo has deleted. */
    bytes_total: int,
    bytes_imported: int,
    undone: int,
    /** JSON of the failures: counts by reason, and the first ones. */
    failures: text,
    /** JSON of `code` and `message`; null: there is none. */
    error: nullable(text),
    resume_at: nullable(int),
    /** Mail before it is left out; null: none is. */
    since: nullable(int),
    started_at: nullable(int),
    finished_at: nullable(int),
    /** When the mailbox was found full; null: it has room. */
    full_since: nullable(int),
    /** When the worker takes it; null: it has nothing to do. */
    due_at: nullable(int),
    /** Attempts without progress. */
    attempts: int,
    lease: nullable(text),
    lease_until: int,
    created_at: int,
    updated_at: int,
  },
})
export type ImportTable = RowOf<typeof importTable>

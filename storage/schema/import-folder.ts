import { int, nullable, type RowOf, table, text } from './table.ts'

/** Folders and labels of an import's source: how far each was read, where its mail goes, and what became of it. */
export const importFolder = table({
  name: 'import_folder',
  key: ['account', 'import', 'id'],
  owner: 'account',
  partOf: 'import',
  columns: {
    account: int,
    import: int,
    /** 1, 2, ... in the order in which they were seen. */
    id: int,
    /** The source's own name; null: it is a label, or holds mail of labels only. */
    source_key: nullable(text),
    /** JSON list of names from the top down. */
    path: text,
    role: nullable(text),
    /** Positions are valid within it. */
    generation: nullable(text),
    /** After which message it is read on; null: from the beginning. */
    position: nullable(text),
    /** Number of the mailbox; null: none yet. */
    target: nullable(int),
    /** Messages that the source announced; null: it counts while it is read. */
    announced: nullable(int),
    imported: int,
    duplicates: int,
    skipped: int,
    failed: int,
    /** 1: it has been read to its end. */
    is_done: int,
  },
})
export type ImportFolderTable = RowOf<typeof importFolder>

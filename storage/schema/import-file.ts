import { int, nullable, oneOf, type RowOf, table, text } from './table.ts'

/** Files that clients upload for an import (decisions D12 and D33). Their octets are outside of the database (server/imports/staging). */
export const importFile = table({
  name: 'import_file',
  key: ['account', 'id'],
  owner: 'account',
  numbers: [{ column: 'id', of: 'account' }],
  objectType: 'ImportFile',
  columns: {
    account: int,
    id: int,
    name: text,
    size: int,
    /** `used`: by an import, until it ends. */
    status: oneOf('waiting', 'uploaded', 'used'),
    /** Number of the import that uses it. */
    import: nullable(int),
    /** Where its octets are, for the host: text that nobody can guess. */
    place: text,
    expires_at: int,
    created_at: int,
  },
})
export type ImportFileTable = RowOf<typeof importFile>

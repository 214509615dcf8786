import { int, type RowOf, table, text } from './table.ts'

/** Sieve scripts (RFC 9661). At most one script of an account is active. */
export const sieveScript = table({
  name: 'sieve_script',
  key: ['account', 'id'],
  owner: 'account',
  numbers: [{ column: 'id', of: 'account' }],
  objectType: 'SieveScript',
  keepsBlob: 'always',
  columns: {
    account: int,
    id: int,
    name: text,
    /** The script's octets, by their number among the account's blobs. */
    blob: int,
    is_active: int,
    created_at: int,
  },
})
export type SieveScriptTable = RowOf<typeof sieveScript>

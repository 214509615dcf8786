import { int, oneOf, type RowOf, table, text } from './table.ts'

/** Every address that the server accepts mail for, over all organizations, in lower case. */
export const address = table({
  name: 'address',
  key: ['address'],
  owner: 'account',
  columns: {
    address: text,
    /** The mailbox account that the address leads to. */
    account: int,
    kind: oneOf('mailbox', 'alias'),
    domain: text,
    /** 0: a disabled alias. Its address stays in use. */
    enabled: int,
  },
})
export type AddressTable = RowOf<typeof address>

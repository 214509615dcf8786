import { int, nullable, type RowOf, table, text } from './table.ts'

/** Domain names over all organizations: which organization claims a name, and the state of the claim. */
export const domainName = table({
  name: 'domain_name',
  key: ['name', 'account'],
  owner: 'account',
  columns: {
    name: text,
    /** The organization. */
    account: int,
    /** Object number of the Domain. */
    object: int,
    status: text,
    /** Mailbox account that receives mail for addresses that do not exist. */
    catch_all: nullable(int),
  },
})
export type DomainNameTable = RowOf<typeof domainName>

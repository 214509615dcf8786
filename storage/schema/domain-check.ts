import { int, nullable, type RowOf, table, text } from './table.ts'

/** The queue of the checks of DNS records: one row per domain. */
export const domainCheck = table({
  name: 'domain_check',
  key: ['account', 'domain'],
  owner: 'account',
  columns: {
    account: int,
    /** Object number of the Domain. */
    domain: int,
    due_at: int,
    lease: nullable(text),
    lease_until: int,
  },
})
export type DomainCheckTable = RowOf<typeof domainCheck>

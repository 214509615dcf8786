import { int, nullable, oneOf, type RowOf, table, text } from './table.ts'

/**
 * What domains still need, one step at a time: `registration` and renewals at registrars, `records` at DNS providers, `letters` about their
 * expiry.
 */
export const domainWork = table({
  name: 'domain_work',
  key: ['account', 'domain', 'kind'],
  owner: 'account',
  numbers: [{ column: 'domain', of: 'account' }],
  columns: {
    account: int,
    /** Object number of the Domain, which may not exist yet or any more. */
    domain: int,
    kind: oneOf('registration', 'records', 'letters'),
    name: text,
    /** The name while it is being registered or is registered: one registration over all organizations. */
    reserved: nullable(text),
    step: text,
    /** JSON of the step. */
    data: text,
    /** null: nothing is to be done. */
    due_at: nullable(int),
    attempts: int,
    lease: nullable(text),
    lease_until: int,
    created_at: int,
  },
})
export type DomainWorkTable = RowOf<typeof domainWork>

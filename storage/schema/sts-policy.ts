import { int, type RowOf, table, text } from './table.ts'

/** MTA-STS policies of the domains that mail is sent to (RFC 8461 5). */
export const stsPolicy = table({
  name: 'sts_policy',
  key: ['domain'],
  owner: null,
  columns: {
    domain: text,
    /** Id in the domain's DNS record. */
    id: text,
    /** Text of the policy as it was fetched. */
    policy: text,
    kept_until: int,
  },
})
export type StsPolicyTable = RowOf<typeof stsPolicy>

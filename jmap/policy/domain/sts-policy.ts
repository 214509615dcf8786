/** The MTA-STS policy of a hosted domain (RFC 8461 3.2), and its id. All domains have the same policy, because all have our hosts. */
import { createHash } from 'node:crypto'

/** Seconds: RFC 8461 3.2 advises weeks; with one week a change of hosts takes effect soon. */
const MAX_AGE_SECONDS = 604_800

export function stsPolicy(mailHost: string): string {
  return `version: STSv1\r\nmode: enforce\r\nmx: ${mailHost}\r\nmax_age: ${MAX_AGE_SECONDS}\r\n`
}

/** RFC 8461 3.1: 1 to 32 letters and digits, which change with the policy. */
export function stsPolicyId(mailHost: string): string {
  return createHash('sha256').update(stsPolicy(mailHost)).digest('hex').slice(0, 16)
}

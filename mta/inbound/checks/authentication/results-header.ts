/** Writes the Authentication-Results field (RFC 8601 2.2) of this server. Pure. */
import type { AuthenticationResults, DkimResult } from '../../../../jmap/delivery/inbound-verdict.ts'
import { RESULTS_VALUE_MAX_CHARS } from '../../../../server/base/inbound-limits.ts'

/** A result and its properties. */
type Row = readonly string[]

/** The field with its line end. @param address of the client */
export function resultsField(authservId: string, address: string, results: AuthenticationResults): string {
  const { spf, dkim, dmarc, arc, iprev } = results
  const rows: Row[] = [
    [`iprev=${iprev.result}`, `policy.iprev=${value(address)}`, ...(iprev.name ? [comment(iprev.name)] : [])],
    [`spf=${spf.result}`, ...property(`smtp.${spf.identity}`, spf.domain)],
    ...(dkim.length === 0 ? [['dkim=none']] : dkim.map(dkimRow)),
    [`arc=${arc.result}`, ...property('header.d', arc.domain)],
    [`dmarc=${dmarc.result}`, ...property('policy.dmarc', dmarc.policy), ...property('header.from', dmarc.domain)],
  ]
  return `Authentication-Results: ${[authservId, ...rows.map(rowText)].join(';\r\n ')}\r\n`
}

function dkimRow({ result, reason, domain, selector, algorithm }: DkimResult): Row {
  return [
    `dkim=${result}`,
    ...(reason ? [comment(reason)] : []),
    ...property('header.d', domain),
    ...property('header.s', selector),
    ...property('header.a', algorithm),
  ]
}

/** RFC 5322 2.1.1: a line has at most 998 octets, so long rows are folded. */
function rowText(row: Row): string {
  const text = row.join(' ')
  return text.length > LONG_ROW ? row.join('\r\n  ') : text
}

const LONG_ROW = 150

function property(name: string, text: string | null): string[] {
  return text ? [`${name}=${value(text)}`] : []
}

/** A value from a peer: a token if it is one, else a quoted string (RFC 8601 2.2). */
function value(text: string): string {
  const plain = printable(text)
  return /^[A-Za-z0-9!#$%&'*+.^_`{|}~:-]+$/.test(plain) ? plain : `"${plain.replace(/["\\]/g, '\\$&')}"`
}

function comment(text: string): string {
  return `(${printable(text).replace(/[()\\]/g, '?')})`
}

function printable(text: string): string {
  return text.replace(/[\p{C}\p{Zl}\p{Zp}]/gu, '?').slice(0, RESULTS_VALUE_MAX_CHARS)
}

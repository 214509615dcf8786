/** The Authentication-Results field (RFC 8601 2.2) of this server. Pure. */
import type { AuthenticationResults } from '../../../../jmap/mail/inbound-verdict.ts'
import { RESULTS_VALUE_MAX_CHARS } from '../../../../server/base/inbound-limits.ts'

/** With its line end. @param address of the client */
export function resultsField(authservId: string, address: string, results: AuthenticationResults): string {
  const { spf, dkim, dmarc, arc, iprev } = results
  const rows = [
    `iprev=${iprev.result} policy.iprev=${value(address)}${iprev.name ? ` (${comment(iprev.name)})` : ''}`,
    `spf=${spf.result} smtp.${spf.identity}=${value(spf.domain)}`,
    ...(dkim.length === 0 ? ['dkim=none'] : dkim.map(dkimRow)),
    `arc=${arc.result}${arc.domain ? ` header.d=${value(arc.domain)}` : ''}`,
    `dmarc=${dmarc.result}${dmarc.policy ? ` policy.dmarc=${dmarc.policy}` : ''}${dmarc.domain ? ` header.from=${value(dmarc.domain)}` : ''}`,
  ]
  return `Authentication-Results: ${[authservId, ...rows].join(';\r\n ')}\r\n`
}

function dkimRow({ result, reason, domain, selector, algorithm }: AuthenticationResults['dkim'][number]): string {
  const properties = [
    ['header.d', domain],
    ['header.s', selector],
    ['header.a', algorithm],
  ].filter(([, text]) => text !== '')
  const why = reason ? ` (${comment(reason)})` : ''
  return `dkim=${result}${why}${properties.map(([name, text]) => ` ${name}=${value(text!)}`).join('')}`
}

/** What a peer named: as a token where it is one, else in quotes (RFC 8601 2.2). */
function value(text: string): string {
  const plain = printable(text)
  return /^[A-Za-z0-9!#$%&'*+.^_`{|}~:-]+$/.test(plain) ? plain : `"${plain.replace(/["\\]/g, '\\$&')}"`
}

function comment(text: string): string {
  return printable(text).replace(/[()\\]/g, '?')
}

function printable(text: string): string {
  return text.replace(/[^\x21-\x7e\u00a1-\u{10ffff} ]|[\u2028\u2029]/gu, '?').slice(0, RESULTS_VALUE_MAX_CHARS)
}

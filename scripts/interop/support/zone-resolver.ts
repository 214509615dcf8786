/** The DNS as a table of a test suite, for checks that query through mta/dns. */

import { isIP } from 'node:net'
import type { DnsAnswer, DnsResolver } from '../../../mta/dns/resolver.ts'
import { reverseName } from '../../../mta/dns/reverse-name.ts'

type Type = 'A' | 'AAAA' | 'MX' | 'TXT' | 'PTR'
/** `{"TXT": ...}`, or `TIMEOUT`: names not listed before it get no answer. */
export type ZoneEntry = 'TIMEOUT' | { readonly [type: string]: unknown }
export type ZoneTable = { readonly [name: string]: readonly ZoneEntry[] }

export function zoneResolver(table: ZoneTable): DnsResolver {
  const zones = new Map(Object.entries(table).map(([name, entries]) => [name.toLowerCase(), entries]))
  const ask = async <T>(name: string, type: Type, read: (value: unknown) => T): Promise<DnsAnswer<T>> => {
    const entries = zones.get(name.toLowerCase().replace(/\.$/, ''))
    if (!entries) return { status: 'nxdomain' }
    const alias = entries.find((entry) => entry !== 'TIMEOUT' && 'CNAME' in entry) as { CNAME: string } | undefined
    if (alias) return ask(alias.CNAME, type, read)
    const values = valuesOf(entries, type)
    if (values === 'TIMEOUT') return { status: 'failed', reason: 'timeout' }
    return values.length > 0 ? { status: 'found', records: values.map(read) } : { status: 'nodata' }
  }
  const text = (value: unknown) => [value].flat().join('')
  return {
    a: (name) => ask(name, 'A', text),
    aaaa: (name) => ask(name, 'AAAA', text),
    txt: (name) => ask(name, 'TXT', text),
    tlsa: async () => ({ status: 'nodata' }),
    ptr: (address) => ask(isIP(address) ? reverseName(address) : address, 'PTR', text),
    mx: (name) =>
      ask(name, 'MX', (value) => {
        const [preference, exchange] = value as [number, string]
        return { preference, exchange }
      }),
  }
}

function valuesOf(entries: readonly ZoneEntry[], type: Type): unknown[] | 'TIMEOUT' {
  // In the suite SPF also stands for a TXT record, unless the name has TXT records.
  const hasText = entries.some((entry) => entry !== 'TIMEOUT' && 'TXT' in entry)
  const values: unknown[] = []
  for (const entry of entries) {
    if (entry === 'TIMEOUT') {
      if (values.length === 0) return 'TIMEOUT'
      continue
    }
    const [[key, value]] = Object.entries(entry) as [[string, unknown]]
    const isType = key === type || (key === 'SPF' && type === 'TXT' && !hasText)
    if (!isType || value === 'NONE') continue
    if (value === 'TIMEOUT') return 'TIMEOUT'
    values.push(value)
  }
  return values
}

/** A domain's zone for tests: the records that the server itself requests, in a zone server. */
import type { JsonObject } from '../../server/base/json.ts'
import type { Records } from './zone-server.ts'

export interface RecordItem {
  readonly key: string
  readonly type: string
  readonly host: string
  readonly value: string | null
  readonly priority: number | null
  readonly isRecommended: boolean
  readonly status: string
  readonly foundValues: readonly string[]
  readonly neededUntil: string | null
}

export function itemsOf(dnsRecords: JsonObject): readonly RecordItem[] {
  return dnsRecords['records'] as unknown as readonly RecordItem[]
}

/** The delegation of a domain: a server on loopback. */
export function delegation(domain: string): Records {
  return { [`${domain} NS`]: ['ns.name-server.net'], 'ns.name-server.net A': ['127.0.0.1'] }
}

/** As the owner of the domain would publish them. @param without keys of records to leave out */
export function publish(records: Records, items: readonly RecordItem[], without: readonly string[] = []): void {
  for (const { key, type, host, value, priority } of items) {
    if (value === null || without.includes(key)) continue
    records[`${host} ${type}`] = [priority === null ? value : `${priority} ${value}`]
  }
}

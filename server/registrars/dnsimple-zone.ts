/** Records in DNSimple's own DNS. */
import type { DnsZone, HeldRecord, ZoneRecord } from '../../jmap/type/dns-provider-port.ts'
import { ZONE_PAGE_RECORDS, ZONE_PAGES_MAX } from '../base/registration-limits.ts'
import { answered, asObject, type JsonAnswer, type JsonCall, requiredList, textIn } from '../egress/json-api.ts'
import { absoluteName, heldRecord, relativeName } from '../egress/zone-records.ts'

/** @throws ProviderError */
export type DnsimpleCall = (
  path: string,
  call?: JsonCall,
) => Promise<{ status: number; data: unknown; answer: JsonAnswer }>

export function dnsimpleZone(call: DnsimpleCall, zone: string): DnsZone {
  const records = `/zones/${zone}/records`
  const read = async (): Promise<HeldRecord[]> => {
    const found: HeldRecord[] = []
    for (let page = 1; page <= ZONE_PAGES_MAX; page++) {
      const { data, answer } = await call(`${records}?per_page=${ZONE_PAGE_RECORDS}&page=${page}`)
      for (const { id, name, type, content, ttl, priority } of requiredList(data, 'DNSimple')) {
        const full = absoluteName(textIn(name), zone)
        found.push(...heldRecord({ ref: textIn(id), name: full, type, value: textIn(content), ttl, priority }))
      }
      if (page >= Number(asObject(answer['pagination'])?.['total_pages'] ?? 1)) break
    }
    return found
  }
  return {
    ensure: async () => ({ kind: 'done', value: [] }),
    read: (names) => answered(async () => (await read()).filter(({ name }) => names.includes(name))),
    change: ({ create, update, remove }) =>
      answered(async () => {
        for (const record of create) await call(records, { method: 'POST', body: bodyOf(record, zone) })
        for (const { before, after } of update)
          await call(`${records}/${before.ref}`, { method: 'PATCH', body: bodyOf(after, zone) })
        for (const { ref } of remove) await call(`${records}/${ref}`, { method: 'DELETE', allowed: [404] })
        return null
      }),
  }
}

function bodyOf({ name, type, value, ttl, priority }: ZoneRecord, zone: string): object {
  return { name: relativeName(name, zone), type, content: value, ttl, ...(priority !== undefined && { priority }) }
}

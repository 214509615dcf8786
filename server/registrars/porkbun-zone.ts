/** Records in Porkbun's own DNS. */
import type { DnsZone, HeldRecord, ZoneRecord } from '../../jmap/type/dns-provider-port.ts'
import { answered, type JsonAnswer, requiredList, textIn } from '../egress/json-api.ts'
import { heldRecord, relativeName } from '../egress/zone-records.ts'

/** Porkbun answers some failures with status 200 and `status: "ERROR"`. @throws ProviderError */
export type PorkbunCall = (path: string, body?: object, key?: string) => Promise<JsonAnswer>

export function porkbunZone(call: PorkbunCall, zone: string): DnsZone {
  const read = async (): Promise<HeldRecord[]> => {
    const { records } = await call(`/dns/retrieve/${zone}`)
    return requiredList(records, 'Porkbun').flatMap(({ id, name, type, content, ttl, prio }) =>
      heldRecord({ ref: textIn(id), name: textIn(name), type, value: textIn(content), ttl, priority: prio }),
    )
  }
  return {
    ensure: async () => ({ kind: 'done', value: [] }),
    read: (names) => answered(async () => (await read()).filter(({ name }) => names.includes(name))),
    change: ({ create, update, remove }) =>
      answered(async () => {
        for (const record of create) await call(`/dns/create/${zone}`, bodyOf(record, zone))
        for (const { before, after } of update) await call(`/dns/edit/${zone}/${before.ref}`, bodyOf(after, zone))
        for (const { ref } of remove) await call(`/dns/delete/${zone}/${ref}`, {})
        return null
      }),
  }
}

function bodyOf({ name, type, value, ttl, priority }: ZoneRecord, zone: string): object {
  const prio = priority === undefined ? {} : { prio: String(priority) }
  return { name: relativeName(name, zone), type, content: value, ttl: String(ttl), ...prio }
}

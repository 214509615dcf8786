/**
 * Records in PowerDNS's authoritative server, by its HTTP API (doc.powerdns.com/authoritative/http-api). It writes whole sets of records, so
 * each set is read again before it is written.
 */
import type { DnsZone, HeldRecord, ZoneChange, ZoneRecord } from '../../jmap/type/dns-provider-port.ts'
import type { Clock } from '../base/clock.ts'
import { answered, JsonApi, requiredList, textIn } from '../egress/json-api.ts'
import type { SafeFetch } from '../egress/safe-fetch.ts'
import { heldRecord, quoted } from '../egress/zone-records.ts'

export interface PowerdnsOptions {
  readonly url: string
  readonly apiKey: string
  readonly serverId: string
  readonly zone: string
  /** Of zones that are made. */
  readonly nameServers: readonly string[]
  readonly fetch: SafeFetch
  readonly clock: Clock
  readonly protocols: readonly ('https:' | 'http:')[]
  readonly isCustomers: boolean
}

const LABEL = 'PowerDNS'

export function powerdnsZone(options: PowerdnsOptions): DnsZone {
  const { url, apiKey, serverId, zone, nameServers, fetch, clock, protocols, isCustomers } = options
  const api = new JsonApi({
    base: `${url.replace(/\/+$/, '')}/api/v1/servers/${encodeURIComponent(serverId)}`,
    fetch,
    clock,
    headers: { 'x-api-key': apiKey },
    protocols,
    label: LABEL,
    isDenialFinal: isCustomers,
    wordsOf: ({ error }) => textIn(error),
  })
  const path = `/zones/${encodeURIComponent(`${zone}.`)}`
  const readAll = async () => setsIn((await api.call(path)).answer['rrsets'])
  return {
    ensure: () =>
      answered(async () => {
        const nameservers = nameServers.map((name) => `${name}.`)
        const body = { name: `${zone}.`, kind: 'Native', nameservers }
        // 409: it is there already.
        await api.call('/zones', { method: 'POST', body, allowed: [409] })
        return nameServers
      }),
    read: (names) =>
      answered(async () => (await readAll()).flatMap(recordsIn).filter(({ name }) => names.includes(name))),
    change: (change) =>
      answered(async () => {
        const rrsets = setsAfter(await readAll(), change)
        if (rrsets.length > 0) await api.call(path, { method: 'PATCH', body: { rrsets } })
        return null
      }),
  }
}

interface Entry {
  readonly content: string
  readonly disabled: boolean
}

/** A set of records as PowerDNS has it: what is not changed is written back unread. */
interface RecordSet {
  readonly name: string
  readonly type: string
  readonly ttl: unknown
  readonly entries: readonly Entry[]
}

/** A set is written back whole, so one that is not understood must not lose a record. @throws ProviderError */
function setsIn(rrsets: unknown): RecordSet[] {
  return requiredList(rrsets, LABEL).map(({ name, type, ttl, records }) => ({
    name: textIn(name).toLowerCase().replace(/\.$/, ''),
    type: textIn(type),
    ttl,
    entries: requiredList(records, LABEL).map(({ content, disabled }) => ({
      content: textIn(content),
      disabled: disabled === true,
    })),
  }))
}

function recordsIn({ name, type, ttl, entries }: RecordSet): HeldRecord[] {
  return entries.filter(({ disabled }) => !disabled).flatMap(({ content }) => recordOf({ name, type, ttl }, content))
}

function recordOf({ name, type, ttl }: Omit<RecordSet, 'entries'>, content: string): HeldRecord[] {
  // The content of MX and SRV begins with their priority.
  const match = type === 'MX' || type === 'SRV' ? /^(\d{1,10})[ \t]+(\S.*)$/s.exec(content) : null
  return heldRecord({ ref: null, name, type, value: match?.[2] ?? content, ttl, priority: match?.[1] })
}

/** The sets that a change concerns, as they shall be. */
function setsAfter(held: readonly RecordSet[], { create, update, remove }: ZoneChange): object[] {
  const gone = [...remove, ...update.map(({ before }) => before)]
  const made = [...create, ...update.map(({ after }) => after)]
  const touched = new Map([...gone, ...made].map((record) => [`${record.name} ${record.type}`, record]))
  return [...touched.values()].map(({ name, type }) => {
    const set = held.find((one) => one.name === name && one.type === type) ?? { name, type, ttl: null, entries: [] }
    const isGone = ({ content }: Entry) =>
      recordOf(set, content).some((one) => gone.some((other) => isSame(one, other)))
    const kept = set.entries.filter((entry) => !isGone(entry))
    const added = made.filter((one) => one.name === name && one.type === type)
    const isKept = (content: string) => kept.some((entry) => entry.content === content)
    const contents = [...new Set(added.map(contentOf))].filter((content) => !isKept(content))
    const records = [...kept, ...contents.map((content) => ({ content, disabled: false }))]
    const base = { name: `${name}.`, type }
    if (records.length === 0) return { ...base, changetype: 'DELETE' }
    const ttl = kept.length > 0 ? set.ttl : (added[0]?.ttl ?? set.ttl)
    return { ...base, ttl, changetype: 'REPLACE', records }
  })
}

function isSame(a: ZoneRecord, b: ZoneRecord): boolean {
  return a.name === b.name && a.type === b.type && a.value === b.value && (a.priority ?? 0) === (b.priority ?? 0)
}

function contentOf({ type, value, priority = 0 }: ZoneRecord): string {
  switch (type) {
    case 'TXT':
      return quoted(value)
    case 'MX':
    case 'SRV':
      return `${priority} ${value}.`
    case 'CNAME':
      return `${value}.`
    default:
      return value
  }
}

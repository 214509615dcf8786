/** Records at Cloudflare, by its API v4 (developers.cloudflare.com/api). The token needs the right to edit the zone's DNS. */
import type { DnsZone, HeldRecord, ZoneRecord } from '../../jmap/type/dns-provider-port.ts'
import type { Clock } from '../base/clock.ts'
import { ZONE_PAGE_RECORDS, ZONE_PAGES_MAX } from '../base/registration-limits.ts'
import {
  answered,
  asObject,
  type JsonAnswer,
  JsonApi,
  objectsIn,
  refusal,
  requiredList,
  textIn,
} from '../egress/json-api.ts'
import type { SafeFetch } from '../egress/safe-fetch.ts'
import { heldRecord, quoted } from '../egress/zone-records.ts'

export interface CloudflareOptions {
  /** Stands for the API in dev mode; null: Cloudflare's own. */
  readonly base: string | null
  readonly token: string
  readonly zone: string
  readonly fetch: SafeFetch
  readonly clock: Clock
  /** The token is a customer's. */
  readonly isCustomers: boolean
}

const LABEL = 'Cloudflare'

export function cloudflareZone({ base, token, zone, fetch, clock, isCustomers }: CloudflareOptions): DnsZone {
  const api = new JsonApi({
    base: `${base ?? 'https://api.cloudflare.com'}/client/v4`,
    fetch,
    clock,
    headers: { authorization: `Bearer ${token}` },
    protocols: base === null ? ['https:'] : ['https:', 'http:'],
    label: LABEL,
    isDenialFinal: isCustomers,
    wordsOf: ({ errors }) =>
      objectsIn(errors)
        .map(({ message }) => textIn(message))
        .join('; '),
  })
  const find = async (): Promise<JsonAnswer | null> => {
    const { answer } = await api.call(`/zones?name=${zone}`)
    return requiredList(answer['result'], LABEL).find(({ name }) => name === zone) ?? null
  }
  const records = async () => {
    const found = await find()
    if (!found) throw refusal(`the token sees no zone ${zone}`)
    return `/zones/${textIn(found['id'])}/dns_records`
  }
  return {
    ensure: () =>
      answered(async () => {
        const found = (await find()) ?? (await makeZone(api, zone))
        const servers = found['name_servers']
        return Array.isArray(servers) ? servers.map(textIn) : []
      }),
    read: (names) =>
      answered(async () => (await readAll(api, await records())).filter(({ name }) => names.includes(name))),
    change: ({ create, update, remove }) =>
      answered(async () => {
        const path = await records()
        for (const record of create) await api.call(path, { method: 'POST', body: bodyOf(record) })
        for (const { before, after } of update)
          await api.call(`${path}/${before.ref}`, { method: 'PUT', body: bodyOf(after) })
        for (const { ref } of remove) await api.call(`${path}/${ref}`, { method: 'DELETE', allowed: [404] })
        return null
      }),
  }
}

/** In the account of the token: it sees one, or the first counts. */
async function makeZone(api: JsonApi, name: string): Promise<JsonAnswer> {
  const { answer } = await api.call('/accounts?per_page=5')
  const [account] = objectsIn(answer['result'])
  if (!account) throw refusal('the token sees no account')
  const made = await api.call('/zones', {
    method: 'POST',
    body: { name, account: { id: account['id'] }, type: 'full' },
  })
  return asObject(made.answer['result']) ?? {}
}

async function readAll(api: JsonApi, path: string): Promise<HeldRecord[]> {
  const found: HeldRecord[] = []
  for (let page = 1; page <= ZONE_PAGES_MAX; page++) {
    const { answer } = await api.call(`${path}?per_page=${ZONE_PAGE_RECORDS}&page=${page}`)
    for (const { id, name, type, content, ttl, priority, data } of requiredList(answer['result'], LABEL)) {
      // The content of SRV begins with its priority, or not; the parts tell.
      const parts = type === 'SRV' ? asObject(data) : null
      const value = parts
        ? `${textIn(parts['weight'])} ${textIn(parts['port'])} ${textIn(parts['target'])}`
        : textIn(content)
      const first = parts?.['priority'] ?? priority
      found.push(...heldRecord({ ref: textIn(id), name: textIn(name), type, value, ttl, priority: first }))
    }
    if (page >= Number(asObject(answer['result_info'])?.['total_pages'] ?? 1)) break
  }
  return found
}

function bodyOf({ name, type, value, ttl, priority }: ZoneRecord): object {
  const common = { name, type, ttl }
  switch (type) {
    case 'MX':
      return { ...common, content: value, priority }
    case 'SRV': {
      const [weight, port, target] = value.split(' ')
      return { ...common, data: { priority, weight: Number(weight), port: Number(port), target } }
    }
    case 'TXT':
      return { ...common, content: quoted(value) }
    case 'CNAME':
      // Mail clients and the checks of other servers need the name itself, not a proxy for web traffic.
      return { ...common, content: value, proxied: false }
    default:
      return { ...common, content: value }
  }
}

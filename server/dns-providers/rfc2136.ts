/** Records of a zone on a name server that takes dynamic updates (RFC 2136) signed by TSIG (RFC 8945), such as BIND and Knot. */
import type { DnsAccess, DnsZone, HeldRecord } from '../../jmap/type/dns-provider-port.ts'
import { presentRecord } from '../../mta/dns/presentation.ts'
import type { PlainRecord } from '../../mta/dns/rdata.ts'
import { encodePlainQuestion, encodeUpdate } from '../../mta/dns/update.ts'
import { TYPES } from '../../mta/dns/wire.ts'
import type { Clock } from '../base/clock.ts'
import { answered } from '../egress/json-api.ts'
import { heldRecord, RECORD_TYPES } from '../egress/zone-records.ts'
import { DnsConnection, type DnsEndpoint } from './dns-connection.ts'

export interface Rfc2136Options {
  readonly access: Extract<DnsAccess, { readonly provider: 'rfc2136' }>
  readonly host: string
  readonly port: number
  readonly zone: string
  /** Servers to delegate to. */
  readonly nameServers: readonly string[]
  readonly mayConnect: (address: string) => boolean
  readonly clock: Clock
}

const NXDOMAIN = 3

export function rfc2136Zone({ access, host, port, zone, nameServers, mayConnect, clock }: Rfc2136Options): DnsZone {
  const { keyName: name, algorithm, secret } = access
  const key = { name, algorithm, secret: Buffer.from(secret, 'base64') }
  const endpoint: DnsEndpoint = { host, port, key, mayConnect, clock }
  return {
    // No update makes a zone: the operator has prepared it, or a catalog does.
    ensure: () =>
      answered(() =>
        DnsConnection.use(endpoint, async (connection) => {
          await connection.ask((id) => encodePlainQuestion(id, zone, TYPES.SOA))
          return nameServers
        }),
      ),
    read: (names) => answered(() => DnsConnection.use(endpoint, (connection) => readNames(connection, names))),
    change: ({ create, update, remove }) =>
      answered(() =>
        DnsConnection.use(endpoint, async (connection) => {
          const add = [...create, ...update.map(({ after }) => after)]
          const gone = [...remove, ...update.map(({ before }) => before)].map(asRead)
          await connection.ask((id) => encodeUpdate(id, zone, { add, remove: gone }))
          return null
        }),
      ),
  }
}

/** A name such as `_dmarc` has no addresses and no mail hosts. */
const SERVICE_TYPES = ['CNAME', 'TXT', 'SRV', 'TLSA'] as const

/** An update removes a record by its octets. */
function asRead(record: HeldRecord): PlainRecord {
  return record.ref === null ? record : { ...record, data: Buffer.from(record.ref, 'base64') }
}

async function readNames(connection: DnsConnection, names: readonly string[]): Promise<HeldRecord[]> {
  const found: HeldRecord[] = []
  for (const name of names) {
    for (const type of name.includes('_') ? SERVICE_TYPES : RECORD_TYPES) {
      const message = await connection.ask((id) => encodePlainQuestion(id, name, TYPES[type]), [0, NXDOMAIN])
      // Of an alias the server also sends what it leads to.
      const own = message.answers.filter((record) => record.name === name && record.type === TYPES[type])
      for (const record of own) {
        const shown = presentRecord(message.bytes, record)
        if (!shown) continue
        const { value, priority } = shown
        const { ttl, start, end } = record
        // A TXT record may be divided into strings in other ways than ours.
        if (type === 'TXT') found.push({ ref: message.bytes.toString('base64', start, end), name, type, value, ttl })
        else found.push(...heldRecord({ ref: null, name, type, value, ttl, priority }))
      }
      if (message.rcode === NXDOMAIN) break
    }
  }
  return found
}

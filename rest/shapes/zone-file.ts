/** DNS records as lines of a zone file (RFC 1035 5.1). */

export interface ZoneRecord {
  readonly host: string
  readonly type: string
  readonly ttl: number
  /** Without a dot at the end of names, TXT unquoted and in one piece. */
  readonly value: string
  readonly priority: number | null
}

export function zoneFile(records: readonly ZoneRecord[]): string {
  return records.map((record) => `${record.host}. ${record.ttl} IN ${record.type} ${dataOf(record)}\n`).join('')
}

function dataOf({ type, value, priority }: ZoneRecord): string {
  switch (type) {
    case 'TXT':
      return quoted(value)
    case 'MX':
    case 'SRV':
      return `${priority ?? 0} ${value}.`
    case 'CNAME':
      return `${value}.`
    default:
      return value
  }
}

/** RFC 1035 3.3: strings of at most 255 octets each. */
function quoted(text: string): string {
  const pieces = text.match(/.{1,255}/g) ?? ['']
  return pieces.map((piece) => `"${piece.replaceAll(/["\\]/g, '\\$&')}"`).join(' ')
}

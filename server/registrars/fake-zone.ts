/** A zone in memory. */
import type { DnsZone, HeldRecord } from '../../jmap/type/dns-provider-port.ts'

const done = async <T>(value: T) => ({ kind: 'done', value }) as const

/** @param zones records by zone */
export function fakeZone(zones: Map<string, HeldRecord[]>, zone: string): DnsZone {
  const held = () => zones.get(zone) ?? []
  return {
    ensure: () => done([]),
    read: (names) => done(held().filter(({ name }) => names.includes(name))),
    change({ create, update, remove }) {
      const gone = [...remove, ...update.map(({ before }) => before)]
      const made = [...create, ...update.map(({ after }) => after)]
      const kept = held().filter((record) => !gone.includes(record))
      zones.set(zone, [...kept, ...made.map((record) => ({ ...record, ref: null }))])
      return done(null)
    },
  }
}

/** A core whose domains are checked against a zone server on loopback, and helpers for tests of them. */

import type { Test } from 'tap'
import { Domain } from '../../jmap/policy/domain/domain.type.ts'
import { plainHosting } from '../../jmap/policy/domain/hosting.ts'
import type { Limits } from '../../jmap/type/limits.ts'
import { createDomainDns } from '../../mta/dns/authority.ts'
import { systemClock } from '../../server/base/clock.ts'
import type { JsonObject } from '../../server/base/json.ts'
import { removeCheck } from '../../storage/repos/domain-checks.ts'
import { eventsOf, type StoredEvent } from '../../storage/repos/events.ts'
import { type Result, startCore, type TestCore } from './core.ts'
import { delegation, itemsOf, publish, type RecordItem } from './domain-zone.ts'
import type { EngineName } from './engines.ts'
import { hearEvents } from './hear-events.ts'
import { type Records, startZoneServer, type ZoneServer } from './zone-server.ts'

export const MAIL_HOST = 'mx.posthouse-host.net'

export interface DomainWorld extends TestCore {
  readonly zone: ZoneServer
  readonly records: Records
  /** A domain of the core's organization, or of another, that is delegated to the zone server and has no records yet. */
  domain(name: string, accountId?: string): Promise<TestDomain>
  /** Runs the due checks. Resolves with their number. */
  runDue(): Promise<number>
  events(organization?: number): Promise<StoredEvent[]>
}

export interface TestDomain {
  readonly id: string
  readonly name: string
  read(): Promise<Result>
  items(): Promise<readonly RecordItem[]>
  /** Writes the records into the zone. */
  publish(without?: readonly string[]): Promise<void>
  verify(more?: JsonObject): Promise<Result>
  set(patch: JsonObject): Promise<Result>
}

export interface WorldOptions {
  /** Name of the mail host. */
  readonly mailHost?: string
  /** Expected value of its TLSA record. */
  readonly tlsa?: string | null
  readonly limits?: Partial<Limits>
}

export async function startDomainWorld(
  t: Test,
  engine: EngineName = 'sqlite',
  { mailHost = MAIL_HOST, tlsa = null, limits = {} }: WorldOptions = {},
): Promise<DomainWorld> {
  const zones: string[] = []
  const zone = await startZoneServer(t, zones, {})
  const { port, records } = zone
  const resolver = { host: '127.0.0.1', port }
  const domainDns = createDomainDns({ resolver, port, mayAsk: () => true, clock: systemClock, timeoutMs: 500 })
  const hosting = { ...plainHosting(mailHost), hasPolicy: true }
  const core = await startCore(t, engine, limits, { hosting, domainDns, mailHostTlsa: async () => tlsa })
  // The core's own domain is not checked in these tests.
  const own = core.core.ids.decode(Domain, core.domainId)!
  await hearEvents(core)
  await core.store.write([], ({ sql }) => removeCheck(sql, own.account, own.object))
  return {
    ...core,
    zone,
    records,
    async domain(name, accountId = core.organization.accountId) {
      if (!zones.includes(name)) zones.push(name)
      Object.assign(records, delegation(name))
      const { principal } = await core.key({ scopes: ['domains:read', 'domains:write'] })
      const asker =
        accountId === core.organization.accountId
          ? principal
          : { ...principal, organization: core.core.ids.accountNumber('organization', accountId)! }
      const call = async (method: string, args: JsonObject): Promise<Result> =>
        (await core.request([[method, { accountId, ...args }]], asker))[0]![1]
      const made = await call('Domain/set', { create: { d: { name } } })
      const id = made.created.d.id as string
      const read = async () => (await call('Domain/get', { ids: [id] })).list[0]
      const items = async () =>
        itemsOf((await call('Domain/get', { ids: [id], properties: ['dnsRecords'] })).list[0].dnsRecords)
      return {
        id,
        name,
        read,
        items,
        publish: async (without) => publish(records, await items(), without),
        verify: (more = {}) => call('Domain/verify', { ids: [id], ...more }),
        set: (patch) => call('Domain/set', { update: { [id]: patch } }),
      }
    },
    async runDue() {
      const due = await core.core.domainChecks.claim('test', 100, 60_000)
      for (const check of due) await core.core.domainChecks.run(check)
      return due.length
    },
    events: (organization = core.organization.account) => core.store.read((reader) => eventsOf(reader, organization)),
  }
}

/**
 * One check of a domain. The DNS queries run outside of any transaction; then the result is judged and stored, with its event, in one
 * unit of work. An organization that proves ownership of a name takes it over from one that had proved it before (decision D7).
 */
import { DKIM_NEXT_CHECK_MS } from '../../../server/base/domain-limits.ts'
import type { Keyring } from '../../../server/base/keyring.ts'
import type { AccountUnit, Unit } from '../../../storage/ports.ts'
import { findDomainName } from '../../../storage/repos/directory.ts'
import { holdsCheck, scheduleCheck } from '../../../storage/repos/domain-checks.ts'
import { formatUTCDate } from '../../protocol/primitives.ts'
import type { Services } from '../../type/context.ts'
import type { DnsQuestion, DomainFindings } from '../../type/host-ports.ts'
import { findStored } from '../../type/object-store.ts'
import { planSync } from '../dns/sync-records.ts'
import { type MadeDkimKey, makeDkimKey, publicOf } from './dkim-keys.ts'
import { keepDkimKey } from './dkim-store.ts'
import { Domain, type StoredDomain } from './domain.type.ts'
import { type Judgement, judge } from './judge.ts'
import { appendDomainEvent, keepDomain } from './keep-domain.ts'
import { isReserved, registrableOf } from './names.ts'
import { dnsProviderOf } from './provider.ts'
import type { ExpectedRecord, RecordKey } from './records.ts'
import {
  addNextKeys,
  isRotating,
  isRotationDue,
  makeNextKeys,
  promoteKeys,
  switchKeys,
  withoutPastKeys,
} from './rotation.ts'
import { afterCheck, type DomainAfter } from './state.ts'
import { flagsOf, keysOf, recordsOf } from './stored.ts'

export interface CheckRequest {
  readonly account: number
  readonly domain: number
  /** A user asked for the check, so known failures are reported too. */
  readonly isManual: boolean
  /** Lease of the worker that makes the check; null: a user asked for it. */
  readonly lease: string | null
}

/** `gone`: the domain is deleted, or another worker has the check. */
export async function checkDomain(services: Services, request: CheckRequest): Promise<'checked' | 'gone'> {
  const { account, domain } = request
  const found = await services.store.read((reader) => findStored(reader, account, Domain, domain))
  if (!found) return 'gone'
  const before = found.data
  const isMissingKey = keysOf(before).every(({ algorithm }) => algorithm !== 'ed25519')
  const newKey = isMissingKey ? await makeDkimKey('ed25519') : null
  const isDue = isRotationDue(before, services.clock.now(), services.limits.dkimLifetimeMs)
  const nextKeys = isDue ? await makeNextKeys(before) : []
  const asked = await ask(services, before)
  for (;;) {
    const claims = await services.store.read((reader) => findDomainName(reader, before.name))
    const accounts = [...new Set([account, ...claims.map((claim) => claim.account)])]
    const outcome = await services.store.write(accounts, (work) =>
      keep(services, work, request, asked, { newKey, nextKeys }),
    )
    if (outcome !== 'again') return outcome
  }
}

interface MadeKeys {
  /** For domains that are older than Ed25519 keys. */
  readonly newKey: MadeDkimKey | null
  readonly nextKeys: readonly MadeDkimKey[]
}

/** Other keys need other records. */
function isOtherKeys(before: StoredDomain, after: StoredDomain): boolean {
  const textOf = (domain: StoredDomain) => keysOf(domain).map(({ selector, stage = '' }) => `${selector} ${stage}`)
  return textOf(before).join() !== textOf(after).join()
}

interface Asked {
  readonly questions: readonly DnsQuestion[]
  /** The value of the TLSA record of our mail host, if this domain needs one. */
  readonly tlsa: string | null
  /** null: the domain needs no proof. */
  readonly findings: DomainFindings | null
}

async function ask(services: Services, domain: StoredDomain): Promise<Asked> {
  const { domainDns, hosting, mailHostTlsa, verifyReservedDomains, registrar } = services
  // Decision D31: what the fake registrar has registered is in no DNS.
  const isPretended = domain.managedBy === 'service' && registrar?.isFake === true
  if (verifyReservedDomains && (isReserved(domain.name) || isPretended))
    return { questions: [], findings: null, tlsa: null }
  const isOfDomain = `.${hosting.mailHost}`.endsWith(`.${domain.name}`)
  const tlsa = isOfDomain ? await mailHostTlsa() : null
  const wanted = recordsOf(withTlsa(domain, tlsa), hosting).filter(({ value }) => value !== null)
  const questions = wanted.map(({ host, type }): DnsQuestion => ({ name: host, type }))
  const parent = registrableOf(domain.name)
  // RFC 7489 6.6.3: a domain without a record has that of its organizational domain.
  if (parent !== null && parent !== domain.name) questions.push({ name: `_dmarc.${parent}`, type: 'TXT' })
  const findings = await domainDns.ask(domain.name, questions)
  // RFC 7672 2.2: without DNSSEC the record is not used.
  return { questions, findings, tlsa: findings.isSigned ? tlsa : null }
}

function withTlsa(domain: StoredDomain, tlsa: string | null): StoredDomain {
  return { ...domain, check: { checkedAt: 0, records: {}, ...domain.check, tlsa } }
}

async function keep(
  services: Services,
  work: Unit,
  request: CheckRequest,
  asked: Asked,
  { newKey, nextKeys }: MadeKeys,
): Promise<'checked' | 'gone' | 'again'> {
  const unit = work.account(request.account)
  const found = await findStored(unit, unit.account, Domain, request.domain)
  if (!found) return 'gone'
  const { account, domain: number, lease } = request
  if (lease !== null && !(await holdsCheck(unit.sql, { account, domain: number, lease }))) return 'gone'
  const before = withoutPastKeys(found.data, unit.now)
  const switched = switchKeys(before, judgeAll(services, withTlsa(before, asked.tlsa), asked), unit.now)
  const { createdAt, status, check = null } = switched.domain
  const was = { status, createdAt: Date.parse(createdAt), check }
  const after = afterCheck(was, switched.judgements, unit.now, request.isManual)
  if (after.status === 'verified' && before.status !== 'verified') {
    const isWhole = await takeOver(services, work, account, before.name)
    if (!isWhole) return 'again'
  }
  const isForeign = switched.judgements.get('dmarc')?.isForeign ?? false
  const next = withCheck(switched.domain, after, asked, isForeign, unit.now)
  await promoteKeys(unit, number, switched)
  const whole = newKey ? await withKey(unit, number, next, newKey, services.keyring) : next
  const keyed = await addNextKeys(unit, number, whole, nextKeys, services.keyring)
  await keepDomain(unit, number, before, keyed)
  if (isOtherKeys(found.data, keyed)) await planSync(unit, number, keyed)
  const soon = isRotating(keyed) ? unit.now + DKIM_NEXT_CHECK_MS : Number.POSITIVE_INFINITY
  await scheduleCheck(unit.sql, { account, domain: number, due_at: Math.min(after.nextAt, soon) })
  if (after.event) await appendDomainEvent(services, unit, number, after.event, keyed)
  return 'checked'
}

function judgeAll(
  { hosting }: Services,
  domain: StoredDomain,
  { questions, findings }: Asked,
): ReadonlyMap<RecordKey, Judgement> {
  const options = { ...hosting, wantsOwnDmarc: domain.wantsOwnDmarc ?? false }
  const findingOf = (name: string, type: string) => {
    const at = questions.findIndex((question) => question.name === name && question.type === type)
    return findings?.answers[at] ?? { status: 'unknown' as const }
  }
  const judgeOne = (expected: ExpectedRecord): Judgement => {
    if (!findings) return { status: expected.value === null ? 'pending' : 'verified', found: [] }
    const own = judge(expected, findingOf(expected.host, expected.type), options)
    const parent = expected.key === 'dmarc' && own.status === 'not_found' ? registrableOf(domain.name) : null
    if (parent === null || parent === domain.name) return own
    const inherited = judge(expected, findingOf(`_dmarc.${parent}`, 'TXT'), options)
    return inherited.status === 'verified' ? { ...inherited, isForeign: true } : own
  }
  return new Map(recordsOf(domain, hosting).map((expected) => [expected.key, judgeOne(expected)]))
}

/** false: a domain that must lose its claim is in an account that is not locked. */
async function takeOver(services: Services, work: Unit, account: number, name: string): Promise<boolean> {
  const rivals = (await findDomainName(work, name)).filter(
    (claim) => claim.account !== account && claim.status === 'verified',
  )
  for (const rival of rivals) {
    let unit: AccountUnit
    try {
      unit = work.account(rival.account)
    } catch {
      return false
    }
    const found = await findStored(unit, rival.account, Domain, rival.object)
    if (!found) continue
    const before = found.data
    const next: StoredDomain = {
      ...before,
      ...flagsOf(before.check?.records ?? {}),
      dkimVerified: false,
      status: 'degraded',
      updatedAt: formatUTCDate(unit.now),
    }
    await keepDomain(unit, rival.object, before, next)
    await scheduleCheck(unit.sql, { account: rival.account, domain: rival.object, due_at: unit.now })
    await appendDomainEvent(services, unit, rival.object, 'domain.degraded', next)
  }
  return true
}

function withCheck(
  before: StoredDomain,
  after: DomainAfter,
  { findings, tlsa }: Asked,
  isForeign: boolean,
  now: number,
): StoredDomain {
  const becomesVerified = after.status === 'verified' && before.status !== 'verified'
  const provider =
    findings && findings.nameServers.length > 0 ? dnsProviderOf(findings.nameServers) : before.dnsProvider
  return {
    ...before,
    ...flagsOf(after.check.records),
    status: after.status,
    dnsProvider: provider,
    dmarcManagedExternally: before.dmarcManagedExternally || isForeign,
    verifiedAt: becomesVerified ? formatUTCDate(now) : before.verifiedAt,
    check: { ...after.check, tlsa },
    isTrusted: (before.isTrusted ?? true) && !(findings && Object.values(flagsOf(after.check.records)).every(Boolean)),
  }
}

async function withKey(
  unit: AccountUnit,
  number: number,
  domain: StoredDomain,
  key: MadeDkimKey,
  keyring: Keyring,
): Promise<StoredDomain> {
  // Another check has created one meanwhile.
  if (keysOf(domain).some(({ algorithm }) => algorithm === key.algorithm)) return domain
  await keepDkimKey(unit, number, key, keyring)
  return { ...domain, dkimKeys: [...keysOf(domain), publicOf(key)] }
}

/**
 * One check of a domain: its records are asked for outside of any transaction, then what came back is judged and kept, with the event
 * that tells of it, in one unit of work. Whoever proves a name takes it over from others who had proven it before (D7).
 */
import type { Keyring } from '../../../server/base/keyring.ts'
import type { AccountUnit, Unit } from '../../../storage/ports.ts'
import { findDomainName, saveDomainName } from '../../../storage/repos/directory.ts'
import { holdsCheck, scheduleCheck } from '../../../storage/repos/domain-checks.ts'
import { appendEvent } from '../../../storage/repos/events.ts'
import { findObject, updateObject } from '../../../storage/repos/objects.ts'
import type { Services } from '../../context.ts'
import type { DnsQuestion, DomainFindings } from '../../ports.ts'
import { formatUTCDate } from '../../protocol/primitives.ts'
import { type MadeDkimKey, makeDkimKey, publicOf } from './dkim-keys.ts'
import { keepDkimKey } from './dkim-store.ts'
import { type Judgement, judge } from './judge.ts'
import { isReserved, registrableOf } from './names.ts'
import { dnsProviderOf } from './provider.ts'
import type { ExpectedRecord, RecordKey } from './records.ts'
import { afterCheck, type DomainAfter, type DomainEvent } from './state.ts'
import { flagsOf, keysOf, recordsOf, type StoredDomain } from './stored.ts'

export interface CheckRequest {
  readonly account: number
  readonly domain: number
  /** Somebody asked for it, and is told of a failure that is known already. */
  readonly isManual: boolean
  /** Of the worker whose check this is; null: of somebody who asked. */
  readonly lease: string | null
}

/** `gone`: there is no such domain any more, or another worker has its check. */
export async function checkDomain(services: Services, request: CheckRequest): Promise<'checked' | 'gone'> {
  const { account, domain } = request
  const found = await services.store.read((reader) => findObject(reader, account, 'Domain', domain))
  if (!found) return 'gone'
  const before = found.data as unknown as StoredDomain
  const isMissingKey = keysOf(before).every(({ algorithm }) => algorithm !== 'ed25519')
  const newKey = isMissingKey ? await makeDkimKey('ed25519') : null
  const asked = await ask(services, before)
  for (;;) {
    const claims = await services.store.read((reader) => findDomainName(reader, before.name))
    const accounts = [...new Set([account, ...claims.map((claim) => claim.account)])]
    const outcome = await services.store.write(accounts, (work) => keep(services, work, request, asked, newKey))
    if (outcome !== 'again') return outcome
  }
}

interface Asked {
  readonly questions: readonly DnsQuestion[]
  /** What a TLSA record of our mail host is to say, if it is for this domain to have one. */
  readonly tlsa: string | null
  /** null: the domain is one of those that need no proof. */
  readonly findings: DomainFindings | null
}

async function ask(services: Services, domain: StoredDomain): Promise<Asked> {
  const { domainDns, hosting, mailHostTlsa, verifyReservedDomains } = services
  if (verifyReservedDomains && isReserved(domain.name)) return { questions: [], findings: null, tlsa: null }
  const isOfDomain = `.${hosting.mailHost}`.endsWith(`.${domain.name}`)
  const tlsa = isOfDomain ? await mailHostTlsa() : null
  const wanted = recordsOf(withTlsa(domain, tlsa), hosting).filter(({ value }) => value !== null)
  const questions = wanted.map(({ host, type }): DnsQuestion => ({ name: host, type }))
  const parent = registrableOf(domain.name)
  // RFC 7489 6.6.3: without a record of its own a domain has that of its organizational domain.
  if (parent !== null && parent !== domain.name) questions.push({ name: `_dmarc.${parent}`, type: 'TXT' })
  const findings = await domainDns.ask(domain.name, questions)
  // RFC 7672 2.2: without DNSSEC nobody reads it.
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
  newKey: MadeDkimKey | null,
): Promise<'checked' | 'gone' | 'again'> {
  const unit = work.account(request.account)
  const found = await findObject(unit, unit.account, 'Domain', request.domain)
  if (!found) return 'gone'
  const { account, domain: number, lease } = request
  if (lease !== null && !(await holdsCheck(unit.sql, { account, domain: number, lease }))) return 'gone'
  const before = found.data as unknown as StoredDomain
  const judgements = judgeAll(services, withTlsa(before, asked.tlsa), asked)
  const { createdAt, status, check = null } = before
  const after = afterCheck({ status, createdAt: Date.parse(createdAt), check }, judgements, unit.now, request.isManual)
  if (after.status === 'verified' && before.status !== 'verified') {
    const isWhole = await takeOver(services, work, account, before.name)
    if (!isWhole) return 'again'
  }
  const isForeign = judgements.get('dmarc')?.isForeign ?? false
  const next = withCheck(before, after, asked, isForeign, unit.now)
  const keyed = newKey ? await withKey(unit, number, next, newKey, services.keyring) : next
  await keepDomain(unit, number, before, keyed)
  await scheduleCheck(unit.sql, { account, domain: number, due_at: after.nextAt })
  if (after.event) await tell(services, unit, number, after.event, keyed)
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

/** False: a claim that must go down is of an account that is not locked. */
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
    const found = await findObject(unit, rival.account, 'Domain', rival.object)
    if (!found) continue
    const before = found.data as unknown as StoredDomain
    const next: StoredDomain = {
      ...before,
      ...flagsOf(before.check?.records ?? {}),
      ...({ dkimVerified: false } as object),
      status: 'degraded',
      updatedAt: formatUTCDate(unit.now),
    }
    await keepDomain(unit, rival.object, before, next)
    await scheduleCheck(unit.sql, { account: rival.account, domain: rival.object, due_at: unit.now })
    await tell(services, unit, rival.object, 'domain.degraded', next)
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
  // Another check has made one meanwhile.
  if (keysOf(domain).some(({ algorithm }) => algorithm === key.algorithm)) return domain
  await keepDkimKey(unit, number, key, keyring)
  return { ...domain, dkimKeys: [...keysOf(domain), publicOf(key)] }
}

const SEEN = [
  'status',
  'dnsProvider',
  'mxVerified',
  'spfVerified',
  'dkimVerified',
  'dmarcVerified',
  'outboundVerified',
  'dmarcManagedExternally',
  'verifiedAt',
] as const

async function keepDomain(unit: AccountUnit, number: number, before: StoredDomain, next: StoredDomain): Promise<void> {
  const [was, is] = [before, next] as unknown as Record<string, unknown>[]
  const changed = SEEN.filter((name) => was![name] !== is![name])
  const data = { ...next, ...(changed.length > 0 && { updatedAt: formatUTCDate(unit.now) }) }
  await updateObject(unit, unit.account, 'Domain', { id: number, data })
  unit.change('Domain', number, 'u', [...changed, 'dnsRecords', ...(changed.length > 0 ? ['updatedAt'] : [])])
  if (before.status === next.status) return
  const claims = await findDomainName(unit, next.name)
  const own = claims.find((claim) => claim.account === unit.account)
  await saveDomainName(unit.sql, {
    name: next.name,
    account: unit.account,
    object: number,
    status: next.status,
    catch_all: own?.catch_all ?? null,
  })
}

/** In the words of the contract, with what it leaves out (decisions E11). */
async function tell(
  { ids }: Services,
  unit: AccountUnit,
  number: number,
  event: DomainEvent,
  domain: StoredDomain,
): Promise<void> {
  const domain_id = ids.encode('Domain', unit.account, number)
  const at = new Date(unit.now).toISOString()
  if (event === 'domain.verified') {
    await appendEvent(unit, event, { domain_id, verified_at: at })
    return
  }
  const flags = domain as unknown as Record<string, boolean>
  const records = Object.fromEntries(
    ['mx', 'spf', 'dkim', 'dmarc', 'outbound'].map((key) => [key, flags[`${key}Verified`] ?? false]),
  )
  await appendEvent(unit, event, { domain_id, records, checked_at: at })
}

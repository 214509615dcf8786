/** Domain/applyDns: writes a domain's records at its DNS provider, or shows what would be written (decision D33). */
import { scheduleCheck } from '../../../storage/repos/domain-checks.ts'
import { type SetError, setError } from '../../protocol/errors.ts'
import type { MethodContext } from '../../type/context.ts'
import type { ZoneRecord } from '../../type/dns-provider-port.ts'
import { implement } from '../../type/method.ts'
import { DomainApplyDns } from '../domain/domain.type.ts'
import { findNamed } from '../domain/verify.ts'
import { hasZone, zoneOf } from './access.ts'
import type { RecordPlan } from './plan-records.ts'
import { planFor, writeRecords } from './write-records.ts'

const NOTHING: RecordPlan = { create: [], update: [], remove: [], conflicts: [], written: [] }

export const applyDnsMethod = implement(DomainApplyDns, async (method, { id, dryRun }) => {
  const outcome = await apply(method, id, dryRun)
  const isPlan = 'create' in outcome
  const { create, update, remove, conflicts } = isPlan ? outcome : NOTHING
  return {
    accountId: method.account.id,
    applied: isPlan && !dryRun,
    create: create.map(shown),
    update: update.map(({ before, after }) => ({ before: shown(before), after: shown(after) })),
    delete: remove.map(shown),
    conflicts: conflicts.map(({ key, wanted, found }) => ({ key, wanted: shown(wanted), found: found.map(shown) })),
    notApplied: isPlan ? null : outcome,
  }
})

function shown({ name, type, value, priority, ttl }: ZoneRecord) {
  return { name, type, value, priority: priority ?? null, ttl }
}

async function apply(method: MethodContext, id: string, isDry: boolean): Promise<RecordPlan | SetError> {
  const { services, account } = method
  const { mailboxes, domains } = method.request.principal
  // Decision D31
  if (mailboxes !== 'all' && domains === undefined)
    return setError('forbidden', 'A key that is limited to mailboxes changes no domains.')
  const named = await findNamed(method, id)
  if (!named) return setError('notFound')
  const { number, domain } = named
  if (domain.status === 'registering' || domain.status === 'registration_failed')
    return setError('invalidState', 'The domain is not registered yet.')
  const place = { account: account.number, domain: number }
  const zone = hasZone(domain) ? zoneOf(services, place, domain) : null
  if (zone === null)
    return setError('dnsProviderNotConfigured', 'No credentials of a DNS provider are stored for the domain.')
  const answer = isDry
    ? await planFor(services, zone, domain)
    : await writeRecords(services, zone, place, (unit) => scheduleCheck(unit.sql, { ...place, due_at: unit.now }))
  if (answer.kind === 'unreachable')
    return setError('serverUnavailable', `The DNS provider did not answer (${answer.reason}).`)
  if (answer.kind === 'refused') return setError('dnsProviderRefused', `The DNS provider refused: ${answer.reason}.`)
  return answer.value ?? NOTHING
}

/** Domain/verify: an immediate check of DNS records (decision D7). A vendor method: afterwards the Domain has the result. */
import { DOMAIN_CHECK_FRESH_MS, DOMAIN_VERIFY_MAX } from '../../../server/base/domain-limits.ts'
import { stateOf } from '../../../storage/change-log.ts'
import { MethodError, type SetError, setError } from '../../protocol/errors.ts'
import type { MethodContext } from '../../type/context.ts'
import { implement } from '../../type/method.ts'
import { findStored } from '../../type/object-store.ts'
import { checkDomain } from './check.ts'
import { Domain, DomainVerify, type StoredDomain } from './domain.type.ts'

export const verifyMethod = implement(DomainVerify, (method, { ids, isQuiet }) =>
  runVerify(method, [...new Set(ids)], !isQuiet),
)

async function runVerify(method: MethodContext, ids: readonly string[], isManual: boolean) {
  if (ids.length > DOMAIN_VERIFY_MAX) throw new MethodError('requestTooLarge', `At most ${DOMAIN_VERIFY_MAX} ids.`)
  const oldState = await domainState(method)
  const outcomes = await Promise.all(ids.map((id) => verifyOne(method, id, isManual)))
  const checked = ids.filter((_, i) => outcomes[i] === null)
  const notChecked = ids.flatMap((id, i): [string, SetError][] => (outcomes[i] ? [[id, outcomes[i]]] : []))
  return {
    accountId: method.account.id,
    oldState,
    newState: await domainState(method),
    checked: checked.length > 0 ? checked : null,
    notChecked: notChecked.length > 0 ? Object.fromEntries(notChecked) : null,
  }
}

function domainState(method: MethodContext): Promise<string> {
  return method.read(async (reader) => String(await stateOf(reader, method.account.number, Domain.name)))
}

/** The domain that a call names; null: there is none, or the principal may not know it. */
export async function findNamed(
  method: MethodContext,
  given: string,
): Promise<{ readonly number: number; readonly domain: StoredDomain } | null> {
  const number = method.number(Domain, method.resolveId(given))
  const mayKnow = number !== null && (method.request.principal.domains?.includes(number) ?? true)
  const account = method.account.number
  const found = mayKnow ? await method.read((reader) => findStored(reader, account, Domain, number)) : null
  return found && { number: found.id, domain: found.data }
}

async function verifyOne(method: MethodContext, given: string, isManual: boolean): Promise<SetError | null> {
  const account = method.account.number
  const named = await findNamed(method, given)
  if (!named) return setError('notFound')
  const { number: domain } = named
  const { check } = named.domain
  // A recent result is reused, so that a client cannot make the server query faster. A result of a mere read is not reused, because the
  // client may have published records since.
  const knownAt = (isManual ? check?.askedAt : check?.checkedAt) ?? Number.NEGATIVE_INFINITY
  const isFresh = method.services.clock.now() - knownAt < DOMAIN_CHECK_FRESH_MS
  if (isFresh) return null
  const outcome = await checkDomain(method.services, { account, domain, isManual, lease: null })
  return outcome === 'gone' ? setError('notFound') : null
}

/** Domain/rotateDkim, a vendor method: creates new DKIM keys for domains, whatever the age of the present ones (rotation.ts). */
import { DOMAIN_CHECK_PENDING_MS, DOMAIN_VERIFY_MAX } from '../../../server/base/domain-limits.ts'
import { scheduleCheck } from '../../../storage/repos/domain-checks.ts'
import { MethodError, type SetError, setError } from '../../protocol/errors.ts'
import type { MethodContext } from '../../type/context.ts'
import { implement } from '../../type/method.ts'
import { findStored, updateStored } from '../../type/object-store.ts'
import { planSync } from '../dns/sync-records.ts'
import { Domain, DomainRotateDkim } from './domain.type.ts'
import { addNextKeys, makeNextKeys } from './rotation.ts'
import { findNamed } from './verify.ts'

export const rotateMethod = implement(DomainRotateDkim, (method, { ids }) => runRotate(method, [...new Set(ids)]))

async function runRotate(method: MethodContext, ids: readonly string[]) {
  if (ids.length > DOMAIN_VERIFY_MAX) throw new MethodError('requestTooLarge', `At most ${DOMAIN_VERIFY_MAX} ids.`)
  const errors = await Promise.all(ids.map((id) => rotateOne(method, id)))
  const rotated = ids.filter((_, i) => errors[i] === null)
  const notRotated = ids.flatMap((id, i): [string, SetError][] => (errors[i] ? [[id, errors[i]]] : []))
  return {
    accountId: method.account.id,
    rotated: rotated.length > 0 ? rotated : null,
    notRotated: notRotated.length > 0 ? Object.fromEntries(notRotated) : null,
  }
}

/** Keys that wait for their records stay as they are. */
async function rotateOne(method: MethodContext, given: string): Promise<SetError | null> {
  const { store, keyring } = method.services
  const { mailboxes, domains } = method.request.principal
  // Decision D31
  if (mailboxes !== 'all' && domains === undefined)
    return setError('forbidden', 'A key that is limited to mailboxes changes no domains.')
  const account = method.account.number
  const named = await findNamed(method, given)
  if (named === null) return setError('notFound')
  const { number, domain } = named
  const made = await makeNextKeys(domain)
  return store.write([account], async (work) => {
    const unit = work.account(account)
    const found = await findStored(unit, account, Domain, number)
    if (!found) return setError('notFound')
    const next = await addNextKeys(unit, number, found.data, made, keyring)
    await updateStored(unit, Domain, { id: number, data: next }, ['dnsRecords'])
    await planSync(unit, number, next)
    await scheduleCheck(unit.sql, { account, domain: number, due_at: unit.now + DOMAIN_CHECK_PENDING_MS[0].every })
    return null
  })
}

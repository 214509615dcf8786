/**
 * Domain/rotateDkim: new DKIM keys for domains, whatever the age of those they have (rotation.ts). A vendor method: the records to write
 * are `dkim_next` and `dkim_ed25519_next` in the Domain's dnsRecords then.
 */
import { DOMAIN_CHECK_PENDING_MS, DOMAIN_VERIFY_MAX } from '../../../server/base/domain-limits.ts'
import { scheduleCheck } from '../../../storage/repos/domain-checks.ts'
import { findObject, updateObject } from '../../../storage/repos/objects.ts'
import { SERVICE } from '../../capabilities.ts'
import type { MethodContext } from '../../context.ts'
import { MethodError, type SetError, setError } from '../../protocol/errors.ts'
import type { JsonObject } from '../../protocol/json.ts'
import type { ResponseArguments } from '../../protocol/json-text.ts'
import { defineMethod } from '../../type/method.ts'
import { p } from '../../type/property.ts'
import { addNextKeys, makeNextKeys } from './rotation.ts'
import type { StoredDomain } from './stored.ts'
import { findNamed } from './verify.ts'

export const rotateMethod = defineMethod({
  name: 'Domain/rotateDkim',
  capability: SERVICE,
  accounts: 'organization',
  scope: 'domains:write',
  writes: true,
  args: { ids: p.list(p.string()) },
  run: runRotate,
})

async function runRotate(method: MethodContext, args: JsonObject): Promise<ResponseArguments> {
  const ids = [...new Set(args['ids'] as string[])]
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

/** Where keys wait for their records already, it stays at those. */
async function rotateOne(method: MethodContext, given: string): Promise<SetError | null> {
  const { store, keyring } = method.services
  const account = method.account.number
  const named = await findNamed(method, given)
  if (named === null) return setError('notFound')
  const { number, domain } = named
  const made = await makeNextKeys(domain)
  return store.write([account], async (work) => {
    const unit = work.account(account)
    const found = await findObject(unit, account, 'Domain', number)
    if (!found) return setError('notFound')
    const next = await addNextKeys(unit, number, found.data as unknown as StoredDomain, made, keyring)
    await updateObject(unit, account, 'Domain', { id: number, data: { ...next } })
    unit.change('Domain', number, 'u', ['dnsRecords'])
    await scheduleCheck(unit.sql, { account, domain: number, due_at: unit.now + DOMAIN_CHECK_PENDING_MS[0].every })
    return null
  })
}

import { deleteCredential, saveCredential } from '../../storage/repos/directory.ts'
import { MailAccount } from '../mail/mail-account/mail-account.type.ts'
import { Domain } from '../policy/domain/domain.type.ts'
import { invalidProperties, type SetError, setError } from '../protocol/errors.ts'
import { quote } from '../protocol/json-object.ts'
import type { CreateOf } from '../type/derived.ts'
import type { WriteContext } from '../type/handlers.ts'
import { objectHandlers } from '../type/object-handlers.ts'
import { findStored } from '../type/object-store.ts'
import { ApiKey } from './api-key.type.ts'
import { isIpRange, isRangeWithin } from './ip-ranges.ts'
import { namesItsMailboxes, ownUse } from './key-limits.ts'
import { apiKeyHash, createApiKey } from './secrets.ts'

type Write = WriteContext<typeof ApiKey>
/** The permissions of a key, as a client gives them. */
type Grants = Pick<CreateOf<typeof ApiKey>, 'scopes' | 'mailboxIds' | 'domainIds' | 'allowedIps' | 'expiresAt'>

/** Scopes of the REST contract that no JMAP method requires: REST's own, and those of types to come. */
export const OTHER_SCOPES = ['threads:read']

export const apiKeyHandlers = objectHandlers(ApiKey, {
  async create(write, input) {
    const error = (await grantFault(write, input)) ?? (await absentFault(write, input, Object.keys(input)))
    if (error) return { error }
    const { unit } = write
    const key = createApiKey()
    const number = unit.nextObject()
    const keyHash = apiKeyHash(key)
    const credential = { hash: keyHash, account: unit.account, object: number, verifier: null, created_at: unit.now }
    await saveCredential(unit.sql, credential)
    return { number, stored: { ...input, prefix: key.slice(0, 10), lastUsedAt: null, keyHash }, serverSet: { key } }
  },
  async update(write, _number, { before, next, changed }) {
    const error =
      (await rightsFault(write, before)) ?? (await grantFault(write, next)) ?? (await absentFault(write, next, changed))
    return error ? { error } : { stored: next }
  },
  async destroy(write, _number, stored) {
    const error = await rightsFault(write, stored)
    if (error) return error
    await deleteCredential(write.unit.sql, stored.keyHash)
    return null
  },
})

/** A key can only name objects that exist; they may be deleted later. */
async function absentFault(
  { method, unit }: Write,
  { mailboxIds, domainIds }: Grants,
  changed: readonly string[],
): Promise<SetError | null> {
  const { ids } = method.services
  if (changed.includes('mailboxIds'))
    for (const id of mailboxIds ?? [])
      if (!(await findStored(unit, unit.account, MailAccount, ids.accountNumber('mailbox', id))))
        return invalidProperties(['mailboxIds'], 'There is no such mailbox.')
  if (changed.includes('domainIds'))
    for (const id of domainIds ?? [])
      if (!(await findStored(unit, unit.account, Domain, method.number(Domain, id))))
        return invalidProperties(['domainIds'], 'There is no such domain.')
  return null
}

/** Checked first: a limited key must not learn which other objects exist. */
async function grantFault(write: Write, grants: Grants): Promise<SetError | null> {
  const { method } = write
  const { scopes, allowedIps } = grants
  const unknown = scopes.findIndex((scope) => !method.request.grantableScopes.has(scope) && !isOther(scope))
  if (unknown >= 0) return invalidProperties(['scopes'], `There is no scope "${quote(scopes[unknown]!)}".`)
  if (scopes.length === 0) return invalidProperties(['scopes'], 'A key has at least one scope.')
  if (allowedIps?.some((range) => !isIpRange(range)))
    return invalidProperties(['allowedIps'], 'They are IP addresses, or ranges such as 192.0.2.0/24.')
  return rightsFault(write, grants)
}

/** A key cannot grant what it lacks (decision D5), and neither changes nor deletes a key that may do more than itself (decision D31). */
async function rightsFault(write: Write, grants: Grants): Promise<SetError | null> {
  const { method } = write
  const { scopes: ownScopes, mailboxes, domains } = method.request.principal
  const { scopes, mailboxIds, domainIds } = grants
  if (ownScopes && !scopes.every((scope) => ownScopes.includes(scope)))
    return setError('forbidden', 'A key cannot grant, change or delete scopes that it lacks.')
  const reaches = (id: string) =>
    mailboxes === 'all' || mailboxes.includes(method.services.ids.accountNumber('mailbox', id) ?? -1)
  const mayDomains =
    domains === undefined || domainIds?.every((id) => domains.includes(method.number(Domain, id) ?? -1)) === true
  const mayMailboxes = mailboxIds === null ? !(await namesItsMailboxes(write)) : mailboxIds.every(reaches)
  if (!mayDomains || !mayMailboxes)
    return setError(
      'forbidden',
      'A key cannot grant, change or delete access to mailboxes or domains that it may not use.',
    )
  return useFault(write, grants)
}

function isOther(scope: string): boolean {
  return OTHER_SCOPES.includes(scope)
}

/** Otherwise a key that expires, or is bound to addresses, could create a key without these limits. */
async function useFault(write: Write, { allowedIps, expiresAt }: Grants): Promise<SetError | null> {
  const own = await ownUse(write)
  const mayPlaces =
    own.allowedIps === null || allowedIps?.every((range) => isRangeWithin(own.allowedIps!, range)) === true
  if (!mayPlaces) return setError('forbidden', 'A key cannot grant use from addresses that it may not be used from.')
  const mayTime = own.expiresAt === null || (expiresAt !== null && Date.parse(expiresAt) <= Date.parse(own.expiresAt))
  return mayTime ? null : setError('forbidden', 'A key cannot grant use beyond its own end.')
}

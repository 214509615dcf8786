/** ApiKey: what an integrator's program proves itself with (decision D5). Its text is told once, when it is made. */
import { deleteCredential, saveCredential } from '../../storage/repos/directory.ts'
import { findObject } from '../../storage/repos/objects.ts'
import { SERVICE } from '../capabilities.ts'
import { invalidProperties, type SetError, setError } from '../protocol/errors.ts'
import type { JsonObject } from '../protocol/json.ts'
import { defineType } from '../type/define-type.ts'
import { objectRules } from '../type/object-rules.ts'
import { p } from '../type/property.ts'
import type { WriteContext } from '../type/rules.ts'
import { isIpRange, isRangeWithin } from './ip-ranges.ts'
import { namesItsMailboxes, ownUse } from './key-limits.ts'
import { SCOPE_NAMES } from './scopes.ts'
import { apiKeyHash, createApiKey } from './secrets.ts'

export const ApiKey = defineType({
  name: 'ApiKey',
  capability: SERVICE,
  spec: 'vendor',
  idKind: 'ApiKey',
  accounts: 'organization',
  methods: ['get', 'changes', 'set', 'query', 'queryChanges'],
  properties: {
    id: p.id().server().fixed(),
    name: p.string({ min: 1, max: 200 }),
    prefix: p.string().server().fixed(),
    scopes: p.list(p.oneOf(SCOPE_NAMES)),
    mailboxIds: p.ids().nullable().defaults(null),
    domainIds: p.ids().nullable().defaults(null),
    allowedIps: p.list(p.string()).nullable().defaults(null),
    expiresAt: p.utcDate().nullable().defaults(null),
    lastUsedAt: p.utcDate().nullable().server(),
    createdAt: p.utcDate().server().fixed(),
    updatedAt: p.utcDate().server(),
  },
  filters: { beforeId: p.string() },
  sorts: ['name', 'createdAt'],
  scopes: { read: 'api_keys:read', write: 'api_keys:write' },
})

export const apiKeyRules = objectRules(ApiKey, {
  async create(write, input) {
    const error = (await grantFault(write, input)) ?? (await absentFault(write, input, Object.keys(input)))
    if (error) return { error }
    const { unit } = write
    const key = createApiKey()
    const number = unit.nextObject()
    const hash = apiKeyHash(key)
    await saveCredential(unit.sql, {
      hash,
      account: unit.account,
      object: number,
      verifier: null,
      created_at: unit.now,
    })
    const stored = { ...input, prefix: key.slice(0, 10), lastUsedAt: null, keyHash: hash }
    return { number, stored, serverSet: { key } }
  },
  async update(write, _number, { next, changed }) {
    const error = (await grantFault(write, next)) ?? (await absentFault(write, next, changed))
    return error ? { error } : { stored: next }
  },
  async destroy({ unit }, _number, stored) {
    await deleteCredential(unit.sql, stored['keyHash'] as string)
    return null
  },
})

/** A key names only what is there; what it has named may go later. */
async function absentFault(
  { method, unit }: WriteContext,
  input: JsonObject,
  changed: readonly string[],
): Promise<SetError | null> {
  const { ids } = method.services
  const { mailboxIds, domainIds } = input as unknown as Grants
  if (changed.includes('mailboxIds'))
    for (const id of mailboxIds ?? [])
      if (!(await findObject(unit, unit.account, 'MailAccount', ids.decode('MailAccount', id)?.account ?? -1)))
        return invalidProperties(['mailboxIds'], 'There is no such mailbox.')
  if (changed.includes('domainIds'))
    for (const id of domainIds ?? [])
      if (!(await findObject(unit, unit.account, 'Domain', method.number('Domain', id) ?? -1)))
        return invalidProperties(['domainIds'], 'There is no such domain.')
  return null
}

/** A key cannot grant what it lacks (decision D5). Asked first: a limited key must not learn which of the others are there. */
async function grantFault(write: WriteContext, input: JsonObject): Promise<SetError | null> {
  const { method } = write
  const { scopes: ownScopes, mailboxes, domains } = method.request.principal
  const { scopes, mailboxIds, domainIds, allowedIps } = input as unknown as Grants
  if (scopes.length === 0) return invalidProperties(['scopes'], 'A key has at least one scope.')
  if (allowedIps?.some((range) => !isIpRange(range)))
    return invalidProperties(['allowedIps'], 'They are IP addresses, or ranges such as 192.0.2.0/24.')
  if (ownScopes && !scopes.every((scope) => ownScopes.includes(scope)))
    return setError('forbidden', 'A key cannot grant scopes that it lacks.')
  const { ids } = method.services
  const reaches = (id: string) =>
    mailboxes === 'all' || mailboxes.includes(ids.decode('MailAccount', id)?.account ?? -1)
  const mayDomains =
    domains === undefined || domainIds?.every((id) => domains.includes(method.number('Domain', id) ?? -1)) === true
  const mayMailboxes = mailboxIds === null ? !(await namesItsMailboxes(write)) : mailboxIds.every(reaches)
  if (!mayDomains || !mayMailboxes)
    return setError('forbidden', 'A key cannot grant mailboxes or domains that it may not use.')
  return useFault(write, input)
}

/** Else whoever gets hold of a key that ends, or works at one place only, makes himself one that does not. */
async function useFault(write: WriteContext, input: JsonObject): Promise<SetError | null> {
  const own = await ownUse(write)
  const { allowedIps, expiresAt } = input as unknown as Grants
  const mayPlaces =
    own.allowedIps === null || allowedIps?.every((range) => isRangeWithin(own.allowedIps!, range)) === true
  if (!mayPlaces) return setError('forbidden', 'A key cannot grant use from addresses that it may not be used from.')
  const mayTime = own.expiresAt === null || (expiresAt !== null && Date.parse(expiresAt) <= Date.parse(own.expiresAt))
  return mayTime ? null : setError('forbidden', 'A key cannot grant use beyond its own end.')
}

interface Grants {
  readonly scopes: readonly string[]
  readonly mailboxIds: readonly string[] | null
  readonly domainIds: readonly string[] | null
  readonly allowedIps: readonly string[] | null
  readonly expiresAt: string | null
}

/** ApiKey: what an integrator's program proves itself with (api/decisions.md D5). Its text is told once, when it is made. */
import { deleteCredential, saveCredential } from '../../storage/repos/directory.ts'
import { SERVICE } from '../capabilities.ts'
import type { MethodContext } from '../context.ts'
import type { JsonObject } from '../core.ts'
import { invalidProperties, type SetError, setError } from '../protocol/errors.ts'
import { defineType } from '../type/define-type.ts'
import { objectRules } from '../type/object-rules.ts'
import { p } from '../type/property.ts'
import { apiKeyHash, createApiKey } from './secrets.ts'

/** The contract's scopes (Authentication, 3) and the additional ones of D6. */
export const SCOPES = [
  ...[
    'domains',
    'mailboxes',
    'messages',
    'audiences',
    'newsletters',
    'calendar',
    'booking_pages',
    'webhooks',
    'suppressions',
  ].flatMap((name) => [`${name}:read`, `${name}:write`]),
  'threads:read',
  'api_keys:read',
  'api_keys:write',
  'usage:read',
  'organization:read',
  'organization:write',
]

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
    scopes: p.list(p.oneOf(SCOPES)),
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
  async create({ unit, method }, input) {
    const error = grantFault(method, input)
    if (error) return { error }
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
  async update({ method }, _number, { next }) {
    const error = grantFault(method, next)
    return error ? { error } : { stored: next }
  },
  async destroy({ unit }, _number, stored) {
    await deleteCredential(unit.sql, stored['keyHash'] as string)
    return null
  },
})

/** A key cannot grant what it lacks (D5), and names only what is there. */
function grantFault({ request, services }: MethodContext, input: JsonObject): SetError | null {
  const { principal } = request
  const scopes = input['scopes'] as readonly string[]
  if (scopes.length === 0) return invalidProperties(['scopes'], 'A key has at least one scope.')
  if (principal.scopes && !scopes.every((scope) => principal.scopes!.includes(scope)))
    return setError('forbidden', 'A key cannot grant scopes that it lacks.')
  const mailboxIds = input['mailboxIds'] as readonly string[] | null
  if (mailboxIds?.some((id) => services.ids.decode('MailAccount', id) === null))
    return invalidProperties(['mailboxIds'], 'There is no such mailbox.')
  const { mailboxes } = principal
  const mayGrant =
    mailboxes === 'all' ||
    mailboxIds?.every((id) => mailboxes.includes(services.ids.decode('MailAccount', id)!.account))
  if (!mayGrant) return setError('forbidden', 'A key cannot grant mailboxes that it may not use.')
  return null
}

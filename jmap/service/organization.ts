/** Organization: the tenant that owns domains, mailbox accounts and keys. One object in its own account. */

import { PLAN_NAMES } from '../../server/base/sending-limits.ts'
import type { AccountUnit, Store } from '../../storage/ports.ts'
import { updateAccount } from '../../storage/repos/accounts.ts'
import { insertObject } from '../../storage/repos/objects.ts'
import { SERVICE } from '../capabilities.ts'
import { normaliseAddress } from '../mail/addresses.ts'
import { invalidProperties, setError } from '../protocol/errors.ts'
import { formatUTCDate } from '../protocol/primitives.ts'
import { defineType } from '../type/define-type.ts'
import { pick } from '../type/methods/get.ts'
import { objectRules } from '../type/object-rules.ts'
import { p } from '../type/property.ts'
import { NO_SUBSCRIPTION } from './plan.ts'

export const Organization = defineType({
  name: 'Organization',
  capability: SERVICE,
  spec: 'vendor',
  idKind: 'Organization',
  accounts: 'organization',
  methods: ['get', 'changes', 'set'],
  properties: {
    id: p.id().server().fixed(),
    name: p.string({ min: 1, max: 200 }),
    slug: p.string().server(),
    // What it is subscribed to; null: nothing. An administrator sets these (decision D27).
    plan: p.oneOf(PLAN_NAMES).nullable().defaults(null),
    trialEndsAt: p.utcDate().nullable().defaults(null),
    subscribedAt: p.utcDate().nullable().server(),
    // Whom the server writes to about the organization; null: its oldest mailbox.
    ownerEmail: p.string({ max: 320 }).nullable().defaults(null),
    createdAt: p.utcDate().server().fixed(),
    updatedAt: p.utcDate().server(),
  },
  scopes: { read: 'organization:read', write: 'organization:write' },
})

export const organizationRules = objectRules(Organization, {
  create: async () => ({ error: setError('forbidden', 'An organization is made with its account.') }),
  destroy: async () => setError('forbidden', 'An organization goes with its account.'),
  present: (_method, stored) => ({
    ...NO_SUBSCRIPTION,
    ownerEmail: null,
    ...pick(stored, [...Object.keys(NO_SUBSCRIPTION), 'ownerEmail']),
  }),
  async update({ method, unit }, number, { before, next, changed }) {
    if (changed.includes('name')) await updateAccount(unit, number, { name: next['name'] as string })
    const ownerEmail = next['ownerEmail'] as string | null
    if (ownerEmail !== null && normaliseAddress(ownerEmail) === null)
      return { error: invalidProperties(['ownerEmail'], 'It is not an address.') }
    if (!changed.includes('plan') && !changed.includes('trialEndsAt')) return { stored: next }
    if (method.request.principal.kind !== 'system')
      return { error: setError('forbidden', 'Only who runs the server changes what an organization is subscribed to.') }
    if (next['plan'] === null && next['trialEndsAt'] !== null)
      return { error: invalidProperties(['trialEndsAt'], 'There is nothing to try without a plan.') }
    const since = before['subscribedAt'] ?? formatUTCDate(unit.now)
    const subscribedAt = next['plan'] === null ? null : since
    return { stored: { ...next, subscribedAt }, updated: { subscribedAt } }
  },
})

/** A new organization with its account, in one unit of work. */
export function createOrganization(store: Store, name: string): Promise<number> {
  return store.write([], async (work) => {
    const unit = await work.createAccount({ kind: 'organization', organization: null, name })
    await describeOrganization(unit, name)
    return unit.account
  })
}

async function describeOrganization(unit: AccountUnit, name: string): Promise<void> {
  const now = formatUTCDate(unit.now)
  const letters = name
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
  const slug = `${letters.replaceAll(/^-|-$/g, '').slice(0, 40) || 'org'}-${unit.account}`
  const data = { name, slug, createdAt: now, updatedAt: now }
  await insertObject(unit, unit.account, Organization.name, { id: unit.account, data }, unit.now)
  unit.change(Organization.name, unit.account, 'c')
}

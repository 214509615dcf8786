/** Organization: the tenant that owns domains, mailbox accounts and keys. One object in its own account. */
import type { AccountUnit, Store } from '../../storage/ports.ts'
import { updateAccount } from '../../storage/repos/accounts.ts'
import { insertObject } from '../../storage/repos/objects.ts'
import { SERVICE } from '../capabilities.ts'
import { setError } from '../protocol/errors.ts'
import { formatUTCDate } from '../protocol/primitives.ts'
import { defineType } from '../type/define-type.ts'
import { objectRules } from '../type/object-rules.ts'
import { p } from '../type/property.ts'

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
    createdAt: p.utcDate().server().fixed(),
    updatedAt: p.utcDate().server(),
  },
  scopes: { read: 'organization:read', write: 'organization:write' },
})

export const organizationRules = objectRules(Organization, {
  create: async () => ({ error: setError('forbidden', 'An organization is made with its account.') }),
  destroy: async () => setError('forbidden', 'An organization goes with its account.'),
  async update({ unit }, number, { next }) {
    await updateAccount(unit, number, { name: next['name'] as string })
    return { stored: next }
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

import type { AccountUnit, Store } from '../../storage/ports.ts'
import { updateAccount } from '../../storage/repos/accounts.ts'
import type { EncodedImage } from '../images/re-encode.ts'
import { normaliseAddress } from '../message/mail-address.ts'
import { Organization } from '../policy/organization.type.ts'
import { NO_SUBSCRIPTION } from '../policy/plan.ts'
import { invalidProperties, setError } from '../protocol/errors.ts'
import { formatUTCDate } from '../protocol/primitives.ts'
import { objectHandlers } from '../type/object-handlers.ts'
import { insertStored } from '../type/object-store.ts'
import { keepLogo, prepareLogo } from './organization-logo.ts'

export const organizationHandlers = objectHandlers<typeof Organization, EncodedImage | null>(Organization, {
  prepareUpdate: (method, { logoUrl }) => prepareLogo(method, logoUrl),
  create: async () => ({ error: setError('forbidden', 'An organization is made with its account.') }),
  destroy: async () => setError('forbidden', 'An organization goes with its account.'),
  async update({ method, unit }, number, { before, next, changed, prepared: logo }) {
    const { name, ownerEmail, plan, trialEndsAt } = next
    if (changed.includes('name')) await updateAccount(unit, number, { name })
    if (ownerEmail !== null && normaliseAddress(ownerEmail) === null)
      return { error: invalidProperties(['ownerEmail'], 'It is not an address.') }
    if (changed.includes('logoUrl')) await keepLogo(unit, logo)
    if (!changed.includes('plan') && !changed.includes('trialEndsAt')) return { stored: next }
    if (method.request.principal.kind !== 'system')
      return { error: setError('forbidden', 'Only who runs the server changes what an organization is subscribed to.') }
    if (plan === null && trialEndsAt !== null)
      return { error: invalidProperties(['trialEndsAt'], 'There is nothing to try without a plan.') }
    const subscribedAt = plan === null ? null : (before.subscribedAt ?? formatUTCDate(unit.now))
    return { stored: { ...next, subscribedAt }, updated: { subscribedAt } }
  },
})

/** Creates an organization with its account in one unit of work. */
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
  const data = {
    name,
    slug,
    ...NO_SUBSCRIPTION,
    ownerEmail: null,
    passwordsByApi: true,
    logoUrl: null,
    legalName: null,
    postalAddress: null,
    requireTestSend: false,
    accentColor: null,
    createdAt: now,
    updatedAt: now,
  }
  await insertStored(unit, Organization, { id: unit.account, data })
}

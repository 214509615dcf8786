import { REGISTRATION_YEARS_MAX, SEARCH_KEYWORD_MAX_CHARS } from '../../../server/base/registration-limits.ts'
import type { SetError } from '../../protocol/set-error.ts'
import { SERVICE } from '../../type/capabilities.ts'
import { declareMethod } from '../../type/method-declaration.ts'
import { p } from '../../type/property.ts'
import { Domain } from '../domain/domain.type.ts'

const METHOD = { capability: SERVICE, accounts: 'organization' } as const
const refusal = () => p.json<SetError>({ type: 'object' }).nullable()

/** Names that can be registered, for a word or a name (decision D7). It asks the registrar. */
export const DomainSearch = declareMethod({
  ...METHOD,
  name: 'Domain/search',
  scope: Domain.scopes.read,
  writes: false,
  args: { keyword: p.string({ minLength: 1, maxLength: SEARCH_KEYWORD_MAX_CHARS }) },
  answer: {
    offers: p.list(
      p.object({
        name: p.string(),
        isAvailable: p.bool(),
        // For one year, in major units: `11.08`; null: it is not available.
        purchasePrice: p.string().nullable(),
        renewalPrice: p.string().nullable(),
        // ISO 4217
        currency: p.string(),
      }),
    ),
    notSearched: refusal(),
  },
})

/** The registrant, as a client writes it; checked by contact.ts. */
export const CONTACT_MEMBERS = [
  'firstName',
  'lastName',
  'address1',
  'city',
  'state',
  'zip',
  'country',
  'phone',
  'email',
] as const
export type ContactMember = (typeof CONTACT_MEMBERS)[number]
export type WrittenContact = { readonly [M in ContactMember]?: string }

/** Buys a domain (decision D7): charges, and registers it afterwards in steps that survive a crash. */
export const DomainRegister = declareMethod({
  ...METHOD,
  name: 'Domain/register',
  scope: Domain.scopes.write,
  writes: true,
  args: {
    name: p.string({ minLength: 1, maxLength: 253 }),
    years: p.uint({ minimum: 1, maximum: REGISTRATION_YEARS_MAX }).defaults(1),
    contact: p.json<WrittenContact>({ type: 'object', additionalProperties: { type: 'string' } }),
  },
  answer: {
    registered: p.string().nullable(),
    /** false: an earlier call has ordered it. */
    isNew: p.bool(),
    notRegistered: refusal(),
  },
})

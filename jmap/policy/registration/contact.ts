/** Checks who registers a domain, by the rules of the country (decision D7). Registries refuse or delete domains with wrong data. */
import { createRequire } from 'node:module'
import { onDemand } from '../../../server/base/on-demand.ts'
import { normaliseAddress } from '../../message/mail-address.ts'
import type { Fault } from '../../protocol/set-error.ts'
import type { Registrant } from '../../type/registrar-port.ts'
import { CONTACT_MEMBERS, type ContactMember, type WrittenContact } from './registration.methods.ts'

/** Plans of telephone numbers of all countries take 150 kB. */
const phones = onDemand(() => createRequire(import.meta.url)('libphonenumber-js') as typeof import('libphonenumber-js'))
const postcodes = onDemand(
  () => createRequire(import.meta.url)('postcode-validator') as typeof import('postcode-validator'),
)

/** Countries whose registrants name their state (decision D7). */
const WITH_STATES = ['US', 'CA', 'AU', 'BR', 'CN', 'IN', 'JP', 'MX', 'MY']
/** Countries whose states are written as codes. */
const WITH_CODES = ['US', 'CA', 'AU']

const LENGTHS: { readonly [M in ContactMember]: number } = {
  firstName: 64,
  lastName: 64,
  address1: 255,
  city: 64,
  state: 64,
  zip: 16,
  country: 2,
  phone: 32,
  email: 254,
}

export type CheckedContact = { readonly registrant: Registrant } | { readonly faults: readonly Fault[] }

export function checkContact(written: WrittenContact): CheckedContact {
  const given = Object.fromEntries(CONTACT_MEMBERS.map((name) => [name, (written[name] ?? '').trim()])) as {
    readonly [M in ContactMember]: string
  }
  const country = given.country.toUpperCase()
  const faults = CONTACT_MEMBERS.flatMap((name): Fault[] => {
    const fault = faultOf(name, given[name], country)
    return fault === null ? [] : [{ path: `contact/${name}`, ...fault }]
  })
  if (faults.length > 0) return { faults }
  const state = given.state === '' ? given.city : WITH_CODES.includes(country) ? given.state.toUpperCase() : given.state
  return { registrant: { ...given, country, state, phone: eppNumber(given.phone)!, email: given.email } }
}

type Found = Omit<Fault, 'path'> | null

function faultOf(name: ContactMember, value: string, country: string): Found {
  if (value === '') {
    const isOptional = name === 'state' && !WITH_STATES.includes(country)
    return isOptional ? null : { code: 'required', message: `${WORDS[name]} is required.` }
  }
  if (value.length > LENGTHS[name])
    return { code: 'too_long', message: `${WORDS[name]} has at most ${LENGTHS[name]} characters.` }
  // RFC 5733 writes these texts in XML, one line each.
  if (/\p{Cc}/u.test(value)) return { code: 'invalid_format', message: `${WORDS[name]} has no control characters.` }
  const words = formatFault(name, value, country)
  return words === null ? null : { code: 'invalid_format', message: words }
}

const WORDS: { readonly [M in ContactMember]: string } = {
  firstName: 'The first name',
  lastName: 'The last name',
  address1: 'The address',
  city: 'The city',
  state: 'The state',
  zip: 'The postal code',
  country: 'The country',
  phone: 'The telephone number',
  email: 'The email address',
}

function formatFault(name: ContactMember, value: string, country: string): string | null {
  switch (name) {
    case 'country':
      return isCountry(country) ? null : 'country must be a code of ISO 3166-1 alpha-2, such as DE.'
    case 'state':
      return !WITH_CODES.includes(country) || /^[A-Za-z]{2,3}$/.test(value)
        ? null
        : `state must be a code of 2 or 3 letters in ${country}, such as CA.`
    case 'zip':
      return isPostalCode(value, country) ? null : `zip is not a postal code of ${country}.`
    case 'phone':
      return eppNumber(value) === null ? 'phone must be a number such as +14155550100.' : null
    case 'email':
      return normaliseAddress(value) === null ? 'email must be an address such as ada@example.com.' : null
    default:
      return null
  }
}

function isCountry(code: string): boolean {
  return /^[A-Z]{2}$/.test(code) && phones().isSupportedCountry(code)
}

/** Of countries without known rules every code is taken. */
function isPostalCode(value: string, country: string): boolean {
  const { postcodeValidator, postcodeValidatorExistsForCountry } = postcodes()
  if (!isCountry(country) || !postcodeValidatorExistsForCountry(country)) return true
  return postcodeValidator(value, country)
}

/** RFC 5733 2.5: `+1.4155550100`, from that or from E.164; null: it is no number. */
function eppNumber(written: string): string | null {
  if (!/^\+\d{1,3}\.?\d{4,14}$/.test(written)) return null
  const parsed = phones().parsePhoneNumberFromString(written.replace('.', ''))
  if (!parsed?.isPossible()) return null
  const epp = `+${parsed.countryCallingCode}.${parsed.nationalNumber}`
  return written.includes('.') && written !== epp ? null : epp
}

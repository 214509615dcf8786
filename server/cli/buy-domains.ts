/** `posthouse domains search|register`: domains that are bought at the registrar of the server (decisions D7 and D33). */
import { readFileSync } from 'node:fs'
import { normaliseDomain } from '../../jmap/message/mail-address.ts'
import { priceOf } from '../../jmap/policy/registration/price.ts'
import { CONTACT_MEMBERS, type ContactMember } from '../../jmap/policy/registration/registration.methods.ts'
import { DomainPurchases, type Offer } from '../administration/domain-purchases.ts'
import { errorMessage, Failure } from '../base/errors.ts'
import { REGISTRATION_YEARS_MAX } from '../base/registration-limits.ts'
import { type Command, type CommandOption, type Invocation, optional, UsageError } from './command.ts'
import { ORGANIZATION } from './keys.ts'
import { chooseOrganization, withCore } from './with-core.ts'

export const domainsSearch: Command = {
  name: 'domains search',
  summary: 'lists domains that can be bought, with their prices',
  positionals: '<word or domain>',
  options: { organization: ORGANIZATION },
  async run(invocation) {
    const keyword = onlyArgument(invocation, 'a word or a domain')
    await withCore(invocation, async ({ admin, core, json }) => {
      const organization = await chooseOrganization(admin, optional(invocation, 'organization'))
      const offers = await new DomainPurchases(core, organization).search(keyword)
      const width = Math.max(...offers.map(({ name }) => name.length))
      const lines = offers.map((offer) => `${offer.name.padEnd(width)}  ${wordsOf(offer)}\n`)
      invocation.terminal.print(json ? `${JSON.stringify({ results: offers.map(shown) })}\n` : lines.join(''))
    })
    return 0
  },
}

/** `first_name` and `--first-name` of `firstName`. */
const MEMBERS = CONTACT_MEMBERS.map((member) => {
  const words = member.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`).split(' ')
  return { member, field: words.join('_'), option: words.join('-') }
})

const CONTACT_OPTIONS: { readonly [option: string]: CommandOption } = Object.fromEntries(
  MEMBERS.map(({ option, field }) => [option, { value: '<text>', help: `${field} of the contact` }]),
)

export const domainsRegister: Command = {
  name: 'domains register',
  summary: 'buys a domain, and writes its DNS records',
  positionals: '<domain>',
  description: `It shows the price and asks before it charges. The contact is who the domain belongs to: a JSON file with the fields
${MEMBERS.map(({ field }) => field).join(', ')}, or options, which win. The server registers the
domain after the payment; the next start does if it does not run.`,
  options: {
    organization: ORGANIZATION,
    years: { value: '<number>', help: `1 to ${REGISTRATION_YEARS_MAX}; default: 1` },
    contact: { value: '<file>', help: 'JSON file with the contact' },
    ...CONTACT_OPTIONS,
    'max-price': { value: '<amount>', help: 'buy nothing that costs more in all, such as 15.00' },
    yes: { help: 'do not ask' },
  },
  async run(invocation) {
    const name = normaliseDomain(onlyArgument(invocation, 'one domain'))
    if (!name?.includes('.')) throw new UsageError('it needs a whole domain, such as example.com')
    const contact = contactIn(invocation)
    const years = yearsIn(optional(invocation, 'years') ?? '1')
    const most = optional(invocation, 'max-price')
    if (most !== null && !/^\d{1,7}(\.\d{1,2})?$/.test(most))
      throw new UsageError('--max-price must be an amount such as 15.00')
    return withCore(invocation, async ({ admin, core, json }) => {
      const organization = await chooseOrganization(admin, optional(invocation, 'organization'))
      const purchases = new DomainPurchases(core, organization)
      // A domain that was ordered before is not available any more, and is the same order.
      const known = await admin.findDomain(organization, name)
      if (!known && !(await mayBuy(invocation, await purchases.search(name), { name, years, most }))) return 1
      const { id, isNew } = await purchases.register({ name, years, contact })
      const { status } = (await admin.findDomain(organization, name))!
      const line = `${name}: ${status}${isNew ? '' : ', ordered before'}\n`
      invocation.terminal.print(json ? `${JSON.stringify({ id, name, status, is_new: isNew })}\n` : line)
      return 0
    })
  },
}

interface Wanted {
  readonly name: string
  readonly years: number
  readonly most: string | null
}

/** Shows the price, and asks. @throws Failure `configuration` if it cannot be bought, or costs too much */
async function mayBuy(
  { terminal, options }: Invocation,
  offers: readonly Offer[],
  { name, years, most }: Wanted,
): Promise<boolean> {
  const offer = offers.find((one) => one.name === name) ?? offers[0]
  if (offer?.purchasePrice == null) throw new Failure('configuration', `the domain ${name} is not available`)
  const total = priceOf(offer.purchasePrice, offer.renewalPrice ?? offer.purchasePrice, years)
  if (most !== null && Number(total) > Number(most))
    throw new Failure('configuration', `${name} costs ${total} ${offer.currency}, more than ${most}`)
  const term = `${years} ${years === 1 ? 'year' : 'years'}`
  terminal.printError(`${offer.name} for ${term}: ${total} ${offer.currency}. ${wordsOf(offer)}\n`)
  return options['yes'] === true || confirmed(terminal, `Buy ${offer.name}? Type its name: `, offer.name)
}

/** Whether the person at the terminal answers as expected. */
export async function confirmed(terminal: Invocation['terminal'], question: string, wanted: string): Promise<boolean> {
  const answer = await terminal.ask(question)
  if (answer?.trim().toLowerCase() === wanted) return true
  terminal.printError(answer === null ? 'Nothing was done: confirm with --yes.\n' : 'Nothing was done.\n')
  return false
}

function wordsOf({ isAvailable, purchasePrice, renewalPrice, currency }: Offer): string {
  if (!isAvailable) return 'not available'
  const renewal = renewalPrice === null ? '' : `, ${renewalPrice} ${currency} each further year`
  return `${purchasePrice} ${currency} the first year${renewal}`
}

function shown({ name, isAvailable, purchasePrice, renewalPrice, currency }: Offer) {
  const prices = { purchase_price: purchasePrice, renewal_price: renewalPrice, currency }
  return { domain_name: name, available: isAvailable, ...prices }
}

function onlyArgument({ positionals }: Invocation, what: string): string {
  const [argument, more] = positionals
  if (argument === undefined || more !== undefined) throw new UsageError(`it needs ${what}`)
  return argument
}

function yearsIn(text: string): number {
  const years = Number(text)
  if (!/^\d{1,2}$/.test(text) || years < 1 || years > REGISTRATION_YEARS_MAX)
    throw new UsageError(`--years must be 1 to ${REGISTRATION_YEARS_MAX}`)
  return years
}

/** Of the file and the options. What is missing or wrong the server says. @throws UsageError */
function contactIn(invocation: Invocation): { readonly [M in ContactMember]?: string } {
  const file = optional(invocation, 'contact')
  const written = file === null ? {} : readContact(file)
  const pairs = MEMBERS.map(({ member, field, option }) => [member, optional(invocation, option) ?? written[field]])
  return Object.fromEntries(pairs.filter(([, value]) => value !== undefined))
}

function readContact(file: string): { readonly [field: string]: string } {
  try {
    const read: unknown = JSON.parse(readFileSync(file, 'utf8'))
    const isContact =
      typeof read === 'object' && read !== null && Object.values(read).every((one) => typeof one === 'string')
    if (!isContact) throw new Error('it must be an object of texts')
    const unknown = Object.keys(read).find((name) => !MEMBERS.some(({ field }) => field === name))
    if (unknown !== undefined) throw new Error(`it has an unknown field "${unknown}"`)
    return read as { readonly [field: string]: string }
  } catch (error) {
    throw new UsageError(`--contact ${file} cannot be used: ${errorMessage(error)}`)
  }
}

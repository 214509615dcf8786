/**
 * Domain/register (decision D7). The order is recorded before it is charged, with the key of its payment; the domain is added when it is
 * paid. All that follows is the worker's (steps.ts). A repeated call within a day is the same order.
 */
import { randomUUID } from 'node:crypto'
import { CHARGE_LEASE_MS, REGISTRATION_REPEAT_MS } from '../../../server/base/registration-limits.ts'
import type { AccountUnit, Reader } from '../../../storage/ports.ts'
import { findDomainName } from '../../../storage/repos/directory.ts'
import { findReserved, findWork, insertWork, updateWork, type WorkRow } from '../../../storage/repos/domain-works.ts'
import { alreadyExists, invalidProperties, type SetError, setError } from '../../protocol/errors.ts'
import type { MethodContext } from '../../type/context.ts'
import { implement } from '../../type/method.ts'
import type { DomainOffer, Registrant } from '../../type/registrar-port.ts'
import { purchaseFault } from '../billing/purchase.ts'
import { Domain } from '../domain/domain.type.ts'
import { payOrder } from './charge.ts'
import { checkContact } from './contact.ts'
import { leasedOrder, type Order, sealRegistrant } from './order.ts'
import { priceOf } from './price.ts'
import { limitedKey, notConfigured, unreachable } from './refusals.ts'
import { DomainRegister, type WrittenContact } from './registration.methods.ts'
import { registrable } from './suggest.ts'

type Ordered = { readonly number: number; readonly isNew: boolean } | { readonly error: SetError }

export const registerMethod = implement(DomainRegister, async (method, args) => {
  const ordered = await order(method, args)
  const accountId = method.account.id
  return 'error' in ordered
    ? { accountId, registered: null, isNew: false, notRegistered: ordered.error }
    : { accountId, registered: method.id(Domain, ordered.number), isNew: ordered.isNew, notRegistered: null }
})

interface Wanted {
  readonly name: string
  readonly years: number
  readonly contact: WrittenContact
}

async function order(method: MethodContext, { name: written, years, contact }: Wanted): Promise<Ordered> {
  const limit = limitedKey(method)
  if (limit !== null) return { error: setError('forbidden', limit) }
  // Decision D33: bad input comes before everything else.
  const name = registrable(written)
  if (name === null)
    return { error: invalidProperties(['name'], 'name must be a domain name directly below a public suffix.') }
  const checked = checkContact(contact)
  if ('faults' in checked) return { error: { ...invalidProperties(['contact']), faults: checked.faults } }
  const { registrar, store } = method.services
  if (registrar === null) return { error: notConfigured() }
  if (years > registrar.yearsMax)
    return { error: invalidProperties(['years'], `The registrar takes at most ${registrar.yearsMax} at once.`) }
  const account = method.account.number
  const known = await method.read((reader) => knownOrder(method, reader, name))
  if (known) return 'row' in known ? repeat(method, known.row) : known
  const fault = await store.read((reader) => purchaseFault(reader, method.services, account))
  if (fault) return { error: fault }
  const offers = await registrar.offers([name])
  if (offers.kind === 'unreachable') return { error: unreachable(offers.reason) }
  if (offers.kind === 'refused')
    return { error: invalidProperties(['name'], `The registrar refused: ${offers.reason}.`) }
  const offer = offers.value.find((one) => one.name === name)
  if (!offer?.isAvailable || offer.purchasePrice === null)
    return { error: setError('domainUnavailable', `The domain ${name} is not available.`) }
  return place(method, { name, years, offer, registrant: checked.registrant })
}

/** What stands already under the name; null: nothing. */
async function knownOrder(
  method: MethodContext,
  reader: Reader,
  name: string,
): Promise<{ readonly row: WorkRow } | { readonly error: SetError } | null> {
  const { number } = method.account
  const reserved = await findReserved(reader, name)
  const own = (await findDomainName(reader, name)).find((claim) => claim.account === number)
  const row = own ? await findWork(reader, number, own.object, 'registration') : null
  const same = reserved?.account === number ? reserved : row
  if (same && method.services.clock.now() - same.created_at < REGISTRATION_REPEAT_MS) return { row: same }
  if (own) return { error: alreadyExists(method.id(Domain, own.object), `The domain ${name} is there already.`) }
  return reserved ? { error: setError('domainUnavailable', `The domain ${name} is not available.`) } : null
}

interface Placed {
  readonly name: string
  readonly years: number
  readonly offer: DomainOffer
  readonly registrant: Registrant
}

async function place(method: MethodContext, placed: Placed): Promise<Ordered> {
  const { services, account } = method
  const { name } = placed
  const lease = `request:${randomUUID()}`
  const before = await services.store.write([account.number], async (work) => {
    const unit = work.account(account.number)
    if (unit.isDeleted) return { error: setError('notFound') }
    const known = await knownOrder(method, unit, name)
    if (known) return known
    const number = unit.nextObject()
    const data = JSON.stringify(newOrder(method, unit, number, placed))
    const times = { due_at: unit.now, lease, lease_until: unit.now + CHARGE_LEASE_MS }
    await insertWork(unit, {
      domain: number,
      kind: 'registration',
      name,
      reserved: name,
      step: 'charge',
      data,
      ...times,
    })
    return { number }
  })
  if ('error' in before) return before
  if ('row' in before) return repeat(method, before.row)
  return pay(method, before.number, lease, true)
}

function newOrder(method: MethodContext, unit: AccountUnit, number: number, placed: Placed): Order {
  const { offer, years, registrant } = placed
  const purchasePrice = offer.purchasePrice!
  const renewalPrice = offer.renewalPrice ?? purchasePrice
  return {
    years,
    purchasePrice,
    renewalPrice,
    currency: offer.currency,
    contact: sealRegistrant(method.services.keyring, unit.account, number, registrant),
    paymentKey: `domain/${number}`,
    amount: priceOf(purchasePrice, renewalPrice, years),
    isAsked: false,
    acceptedAt: null,
    expiresAt: null,
    payments: 0,
    reason: null,
  }
}

/** An order that is not paid yet is paid by whoever comes first; its key makes it one payment. */
async function repeat(method: MethodContext, row: WorkRow): Promise<Ordered> {
  if (row.step !== 'charge') return { number: row.domain, isNew: false }
  const { store } = method.services
  const lease = `request:${randomUUID()}`
  const taken = await store.write([row.account], async (work) => {
    const unit = work.account(row.account)
    const found = await findWork(unit, row.account, row.domain, row.kind)
    if (found?.step !== 'charge' || found.lease_until > unit.now) return false
    await updateWork(unit, row.domain, row.kind, { lease, lease_until: unit.now + CHARGE_LEASE_MS })
    return true
  })
  if (!taken) return { error: setError('serverUnavailable', 'The payment of this order is under way; try again.') }
  return pay(method, row.domain, lease, false)
}

async function pay(method: MethodContext, number: number, lease: string, isNew: boolean): Promise<Ordered> {
  const { services, account } = method
  const row = await services.store.read((reader) => findWork(reader, account.number, number, 'registration'))
  if (row?.lease !== lease) return { error: unreachable('the lease has ended') }
  const error = await payOrder(services, leasedOrder(row))
  return error ? { error } : { number, isNew }
}

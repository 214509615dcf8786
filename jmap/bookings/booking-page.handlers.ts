/** Handlers of BookingPage. Pages are in the organization's account, so that one keeps its id and its URL when its mailbox changes. */
import { BOOKING_PAGES_MAX } from '../../server/base/booking-limits.ts'
import { mayUseMailbox } from '../../server/base/principal.ts'
import type { AccountUnit, Reader } from '../../storage/ports.ts'
import { findConnection, notConnected } from '../calendars/conferencing/connections.ts'
import { MailAccount } from '../mail/mail-account/mail-account.type.ts'
import { alreadyExists, invalidProperties, type SetError, setError } from '../protocol/errors.ts'
import type { MethodContext } from '../type/context.ts'
import type { WriteContext } from '../type/handlers.ts'
import { objectHandlers } from '../type/object-handlers.ts'
import { deleteStored, findStored, listStored, type Stored } from '../type/object-store.ts'
import { BookingPage, type StoredPage } from './booking-page.type.ts'
import { pageFault, slugFrom } from './page-faults.ts'

export const bookingPageHandlers = objectHandlers(BookingPage, {
  // A key that is limited to some mailboxes sees the pages of those.
  maySee: (method, { mailboxId }) => mayUse(method, mailboxId),

  async create(write, input) {
    const { unit } = write
    const owner = await ownerOf(write, input.mailboxId)
    if ('type' in owner) return { error: owner }
    const unmet = await connectionFault(unit, owner.account, input.conferencingProvider)
    if (unmet) return { error: unmet }
    const pages = await listStored(unit, unit.account, BookingPage)
    if (pages.length >= BOOKING_PAGES_MAX)
      return { error: setError('overQuota', `An organization has at most ${BOOKING_PAGES_MAX} booking pages.`) }
    return settle(write, input, owner, pages)
  },

  async update(write, number, { next, changed }) {
    const { unit } = write
    const owner = await ownerOf(write, next.mailboxId)
    if ('type' in owner) return { error: owner }
    // A page whose provider was disconnected can still be changed otherwise (decision D32).
    const asks = changed.includes('conferencingProvider') || changed.includes('mailboxId')
    const unmet = asks ? await connectionFault(unit, owner.account, next.conferencingProvider) : null
    if (unmet) return { error: unmet }
    const others = (await listStored(unit, unit.account, BookingPage)).filter(({ id }) => id !== number)
    const settled = await settle(write, next, owner, others)
    if ('error' in settled) return settled
    const { slug, timezone, mailbox, name } = settled.stored
    return { stored: settled.stored, updated: differing({ slug, timezone, mailbox, name }, next) }
  },
})

/** Deleting a mailbox deletes its pages (decision D32). @param unit of the organization. @param address of the mailbox */
export async function deletePagesOf(unit: AccountUnit, address: string): Promise<void> {
  for (const { id, data } of await listStored(unit, unit.account, BookingPage))
    if (data.mailbox === address) await deleteStored(unit, BookingPage, id)
}

type Input = Omit<StoredPage, 'createdAt' | 'updatedAt'>

interface Owner {
  readonly account: number
  /** Address. */
  readonly mailbox: string
  readonly zone: string
}

/** Fills in what the client left to the server, and checks the page as a whole. */
async function settle(
  { method }: WriteContext<typeof BookingPage>,
  input: Omit<Input, 'mailbox'>,
  { mailbox, zone }: Owner,
  others: readonly Stored<typeof BookingPage>[],
): Promise<{ readonly stored: Input } | { readonly error: SetError }> {
  const taken = new Map(others.map(({ id, data }) => [data.slug, id]))
  const slug = input.slug === '' ? slugFrom(input.name, (one) => taken.has(one)) : input.slug
  const stored = { ...input, mailbox, slug, name: input.name.trim(), timezone: input.timezone || zone }
  const fault = pageFault(stored)
  if (fault) return { error: fault }
  const holder = taken.get(slug)
  if (holder !== undefined)
    return { error: alreadyExists(method.id(BookingPage, holder), 'Another booking page has this slug.') }
  return { stored }
}

/** Decision D23: the provider of a page is connected to its mailbox. */
async function connectionFault(
  reader: Reader,
  account: number,
  provider: StoredPage['conferencingProvider'],
): Promise<SetError | null> {
  const isMet = provider === null || (await findConnection(reader, account, provider)) !== null
  return isMet ? null : notConnected(provider, 'conferencingProvider')
}

/** The mailbox that a page books, or why it cannot. */
async function ownerOf(
  { method, unit }: WriteContext<typeof BookingPage>,
  mailboxId: string,
): Promise<Owner | SetError> {
  const account = method.services.ids.accountNumber('mailbox', mailboxId)
  const found = account === null ? null : await findStored(unit, unit.account, MailAccount, account)
  if (!found || !mayUse(method, mailboxId)) return invalidProperties(['mailboxId'], 'There is no such mailbox.')
  return { account: found.id, mailbox: found.data.address, zone: found.data.timezone ?? 'UTC' }
}

function mayUse({ services, account, request }: MethodContext, mailboxId: string): boolean {
  const number = services.ids.accountNumber('mailbox', mailboxId)
  return number !== null && mayUseMailbox(request.principal, account.number, number)
}

function differing<T extends { readonly [name: string]: string }>(
  settled: T,
  sent: { readonly [K in keyof T]: string },
) {
  return Object.fromEntries(Object.entries(settled).filter(([name, value]) => sent[name] !== value))
}

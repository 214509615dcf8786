/**
 * The mailbox that a request names. A mailbox of another organization is not found (404). One of the own organization that the key may
 * not use is refused (403 mailbox_access_denied): the owner of the key may know that it exists.
 */
import { normaliseAddress } from '../../jmap/message/mail-address.ts'
import type { Principal } from '../../server/base/principal.ts'
import { knownId, type RestIds } from '../access/ids.ts'
import { ApiError, notFound } from '../errors/api-error.ts'
import type { MailboxObject } from '../schema/jmap-types.ts'
import { id, string } from '../schema/schema.ts'
import { type Answers, type Calls, get, idsOf, onlyOne, query } from './jmap-calls.ts'
import type { JmapClient } from './jmap-client.ts'

/** Who makes a request. */
export interface Caller {
  readonly principal: Principal
  /** JMAP account id of the organization, which holds the vendor types. */
  readonly organization: string
  readonly ids: RestIds
}

export interface OpenMailbox {
  /** Of the mailbox and of its JMAP account. */
  readonly id: string
  readonly address: string
}

/** The members by which objects in a mailbox name their mailbox. */
export const mailboxFields = {
  mailbox_id: id('mbx_aaaaaaaaayaaaaaaaaaaaaif7mwq'),
  address: string({ examples: ['support@example.com'] }),
}

export function ofMailbox({ id, address }: OpenMailbox): { readonly mailbox_id: string; readonly address: string } {
  return { mailbox_id: id, address }
}

function getMailbox({ organization }: Caller, id: string) {
  return { opened: get('MailAccount', { accountId: organization, ids: [id], properties: ['id', 'address'] }) }
}

/** @throws ApiError not_found, mailbox_access_denied */
export async function openMailbox(caller: Caller, jmap: JmapClient, mailboxId: string): Promise<OpenMailbox> {
  const id = knownId(mailboxId, 'mailbox')
  const isDenied = caller.ids.isDenied(caller.principal, id)
  const { opened } = await (isDenied ? jmap.forWholeOrganization() : jmap).call(getMailbox(caller, id))
  const mailbox = onlyOne(opened, 'mailbox')
  if (isDenied) throw new ApiError('mailbox_access_denied')
  return mailbox
}

/** A mailbox that a request names by its address. */
export interface AddressedMailbox extends OpenMailbox {
  /** IANA name of its owner's zone; null: they have named none. */
  readonly timezone: string | null
}

/** The mailbox with an address. @throws ApiError not_found, mailbox_access_denied */
export async function openAddress(caller: Caller, jmap: JmapClient, given: string): Promise<AddressedMailbox> {
  const address = normaliseAddress(given)
  if (address === null) throw notFound('mailbox')
  const own = await findByAddress(caller, jmap, address)
  if (own) return own
  const isLimited = caller.principal.mailboxes !== 'all'
  if (isLimited && (await findByAddress(caller, jmap.forWholeOrganization(), address)))
    throw new ApiError('mailbox_access_denied')
  throw notFound('mailbox')
}

async function findByAddress(caller: Caller, jmap: JmapClient, address: string): Promise<AddressedMailbox | undefined> {
  return withAddress((await jmap.call(callsForAddress(caller, address))).named, address)
}

/** Calls that find the mailboxes to which a normalised address leads. */
export function callsForAddress({ organization: accountId }: Caller, address: string) {
  return {
    matching: query('MailAccount', { accountId, filter: { sendsAs: address } }),
    named: get('MailAccount', {
      accountId,
      '#ids': idsOf('matching', 'MailAccount'),
      properties: ['id', 'address', 'timezone'],
    }),
  }
}

/** Aliases and catch-all addresses lead to a mailbox too, but do not name it. */
export function withAddress(
  { list }: { readonly list: readonly AddressedMailbox[] },
  address: string,
): AddressedMailbox | undefined {
  return list.find((mailbox) => mailbox.address === address)
}

/**
 * `openMailbox` and calls in the account of the mailbox, in one round.
 * @param what the request names, for the 404; by default the mailbox itself
 * @throws ApiError not_found, mailbox_access_denied
 */
export async function inMailbox<C extends Calls>(
  caller: Caller,
  jmap: JmapClient,
  mailboxId: string,
  calls: (accountId: string) => C,
  what = 'mailbox',
): Promise<{ readonly mailbox: OpenMailbox } & Answers<C>> {
  const id = knownId(mailboxId, what)
  // Whether the mailbox exists decides between 403 and 404.
  if (caller.ids.isDenied(caller.principal, id)) await openMailbox(caller, jmap, id)
  const answers = await jmap.call(getMailbox(caller, id), calls(id)).catch((error: unknown) => {
    throw error instanceof ApiError && error.code === 'not_found' ? notFound(what) : error
  })
  return { ...answers, mailbox: onlyOne(answers.opened, what) }
}

/** The account of an object, from its id. The request names no mailbox, and must not learn that the id belongs to one. */
export function accountOf(caller: Caller, kind: 'Email' | 'Thread', id: string, what: string): string {
  const accountId = caller.ids.accountOfId(kind, knownId(id, what))
  if (accountId === null) throw notFound(what)
  return accountId
}

export type FolderRole = Pick<MailboxObject, 'id' | 'role'>

/** Junk and trash: lists leave their messages out, and only there messages are deleted for good (decision D10). */
export function isRejected({ role }: FolderRole): boolean {
  return role === 'junk' || role === 'trash'
}

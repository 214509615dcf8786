/** The sender of a message: the mailbox that sends it, and the address in its From field. */
import { baseAddress } from '../../jmap/message/mail-address.ts'
import { REPLY_MAX_RECIPIENTS } from '../../server/base/limits.ts'
import { get, idsOf, query } from '../calls/jmap-calls.ts'
import type { JmapClient } from '../calls/jmap-client.ts'
import { type Caller, type OpenMailbox, openMailbox } from '../calls/mailbox-access.ts'
import { ApiError, invalid } from '../errors/api-error.ts'
import { type EmailAddress, sameAddress } from '../schema/addresses.ts'
import type { IdentityObject } from '../schema/jmap-types.ts'
import { readWritten, type WrittenAddress } from './recipients.ts'

export interface Sender {
  readonly mailbox: OpenMailbox
  /** Without a name it gets that of its identity when it is sent. */
  readonly from: EmailAddress
}

/** Decision D14: at least one of the two. `mailbox` names the mailbox that sends where `from` is an address. */
export interface WrittenSender {
  readonly from?: WrittenAddress
  readonly mailbox?: string
}

/** @throws ApiError 422: no mailbox of the organization; 403: one that the key may not use */
export async function findSender(caller: Caller, jmap: JmapClient, written: WrittenSender): Promise<Sender> {
  const { from, mailbox: named } = written
  if (from === undefined && named === undefined) throw invalid('from', 'required', 'Give from or mailbox_id.')
  const id = typeof from === 'string' && !from.includes('@') ? from : null
  const address = from === undefined || id !== null ? null : readWritten(from)
  if (from !== undefined && id === null && !address) throw invalid('from', 'invalid_format', 'from is not an address.')
  const field = named === undefined ? 'from' : 'mailbox_id'
  const mailbox = await findMailbox(caller, jmap, field, named ?? id ?? address?.email ?? '')
  if (named !== undefined && id !== null && id !== mailbox.id)
    throw invalid('from', 'not_allowed', 'from and mailbox_id name two mailboxes.')
  return { mailbox, from: address ?? { name: null, email: mailbox.address } }
}

/**
 * The sender of a reply: the first address that the mailbox may send from, so that mail to an alias is answered from the alias.
 * @param own emails of the identities of the mailbox
 */
export async function replySender(
  caller: Caller,
  jmap: JmapClient,
  mailbox: OpenMailbox,
  own: readonly string[],
  addresses: readonly string[],
): Promise<Sender> {
  const identityOf = (address: string) =>
    own.find((email) => sameAddress(email, address) || sameAddress(email, baseAddress(address)))
  const from = addresses.map(identityOf).find((email) => email !== undefined)
  return { mailbox, from: { name: null, email: from ?? (await caughtAddress()) ?? mailbox.address } }

  /** An address without a mailbox, whose mail the mailbox receives as the catch-all. */
  async function caughtAddress(): Promise<string | undefined> {
    for (const address of addresses.slice(0, REPLY_MAX_RECIPIENTS)) {
      if (!own.some((email) => sameAddress(email, wildcardOf(address)))) continue
      const { found } = await jmap.call({
        found: query('MailAccount', { accountId: caller.organization, filter: { sendsAs: address }, limit: 1 }),
      })
      if (found.ids[0] === mailbox.id) return address
    }
    return undefined
  }
}

function wildcardOf(address: string): string {
  return `*${address.slice(address.lastIndexOf('@'))}`
}

/** For a preview: the sender as sending fills it in. @throws ApiError for an address that the mailbox may not send from */
export async function withIdentity(jmap: JmapClient, { mailbox, from }: Sender): Promise<Sender> {
  const { identities } = await jmap.call({
    identities: get('Identity', { accountId: mailbox.id, ids: null, properties: ['id', 'name', 'email'] }),
  })
  const identity = identityFor(identities.list, from.email)
  if (!identity) throw invalid('from', 'not_allowed', `The mailbox may not send from ${from.email}.`)
  // Decision D17: an identity without a name has its address as name, which is no use in a From field.
  const ownName = sameAddress(identity.name, identity.email) || identity.name === '' ? null : identity.name
  return { mailbox, from: { name: from.name ?? ownName, email: from.email } }
}

/** RFC 8621 6: an identity `*@domain` is for every address of the domain. */
function identityFor(identities: readonly IdentityObject[], email: string): IdentityObject | undefined {
  return (
    identities.find((identity) => sameAddress(identity.email, email)) ??
    identities.find((identity) => sameAddress(identity.email, baseAddress(email))) ??
    identities.find((identity) => sameAddress(identity.email, wildcardOf(email)))
  )
}

async function findMailbox(caller: Caller, jmap: JmapClient, field: string, name: string): Promise<OpenMailbox> {
  const unknown = () => invalid(field, 'unknown_reference', `${field} is no mailbox of this organization.`)
  if (!name.includes('@'))
    return openMailbox(caller, jmap, name).catch((error: unknown) => {
      throw error instanceof ApiError && error.code === 'not_found' ? unknown() : error
    })
  const { found } = await jmap.forWholeOrganization().call({
    matching: query('MailAccount', { accountId: caller.organization, filter: { sendsAs: name }, limit: 1 }),
    found: get('MailAccount', {
      accountId: caller.organization,
      '#ids': idsOf('matching', 'MailAccount'),
      properties: ['id', 'address'],
    }),
  })
  const [mailbox] = found.list
  if (!mailbox) throw unknown()
  if (caller.ids.isDenied(caller.principal, mailbox.id)) throw new ApiError('mailbox_access_denied')
  return mailbox
}

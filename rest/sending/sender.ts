/** Who a message is from: the mailbox that sends it, and the address it says. */
import { baseAddress } from '../../jmap/mail/addresses.ts'
import type { EmailAddress } from '../addresses.ts'
import { sameAddress } from '../addresses.ts'
import type { Context } from '../endpoint.ts'
import { get, idsOf, query } from '../jmap-calls.ts'
import type { JmapClient } from '../jmap-client.ts'
import type { IdentityObject } from '../jmap-types.ts'
import { type OpenMailbox, openMailbox } from '../mailbox-access.ts'
import { invalid, Problem } from '../problem.ts'
import { readWritten, type WrittenAddress } from './recipients.ts'

export interface Sender {
  readonly mailbox: OpenMailbox
  readonly from: EmailAddress
  readonly identityId: string
}

/** D14: one of the two at least; `mailbox` says which mailbox sends where `from` is an address. */
export interface WrittenSender {
  readonly from?: WrittenAddress
  readonly mailbox?: string
}

/** @throws Problem for what is no mailbox of the organization (422), or none that the key may use (403) */
export async function findSender(context: Context, jmap: JmapClient, written: WrittenSender): Promise<Sender> {
  const { from, mailbox: named } = written
  if (from === undefined && named === undefined) throw invalid('from', 'required', 'Give from or mailbox_id.')
  const isId = typeof from === 'string' && !from.includes('@')
  const address = from === undefined || isId ? null : readWritten(from)
  if (from !== undefined && !isId && !address) throw invalid('from', 'invalid_format', 'from is not an address.')
  const field = named === undefined ? 'from' : 'mailbox_id'
  const mailbox = await findMailbox(context, jmap, field, named ?? (isId ? from : address!.email))
  if (named !== undefined && isId && from !== mailbox.id) {
    throw invalid('from', 'not_allowed', 'from and mailbox_id name two mailboxes.')
  }
  return withIdentity(jmap, mailbox, address)
}

/** @param address that the message says; null for the mailbox's own */
export async function withIdentity(
  jmap: JmapClient,
  mailbox: OpenMailbox,
  address: EmailAddress | null,
): Promise<Sender> {
  const { identities } = await jmap.call({
    identities: get('Identity', { accountId: mailbox.id, ids: null, properties: ['id', 'name', 'email'] }),
  })
  const email = address?.email ?? mailbox.address
  const identity = identityFor(identities.list, email)
  if (!identity) {
    throw invalid('from', 'not_allowed', `The mailbox ${mailbox.address} may not send from ${email}.`)
  }
  // D17: an identity without a name of its own is called by its address, which says nothing in a From field.
  const ownName = sameAddress(identity.name, identity.email) || identity.name === '' ? null : identity.name
  return { mailbox, from: { name: address?.name ?? ownName, email }, identityId: identity.id }
}

/** RFC 8621 6: an identity of `*@domain` stands for every address of the domain. */
function identityFor(identities: readonly IdentityObject[], email: string): IdentityObject | undefined {
  const wildcard = `*${email.slice(email.lastIndexOf('@'))}`
  return (
    identities.find((identity) => sameAddress(identity.email, email)) ??
    identities.find((identity) => sameAddress(identity.email, baseAddress(email))) ??
    identities.find((identity) => sameAddress(identity.email, wildcard))
  )
}

async function findMailbox(context: Context, jmap: JmapClient, field: string, name: string): Promise<OpenMailbox> {
  const unknown = () => invalid(field, 'unknown_reference', `${field} is no mailbox of this organization.`)
  const id = name.includes('@') ? await idOfAddress(context, jmap, name) : name
  if (id === null) throw unknown()
  return openMailbox(context, jmap, id).catch((error: unknown) => {
    throw error instanceof Problem && error.code === 'not_found' ? unknown() : error
  })
}

/** D16: `user+tag@domain` belongs to `user@domain`. */
async function idOfAddress(context: Context, jmap: JmapClient, address: string): Promise<string | null> {
  const filter = { address: baseAddress(address.toLowerCase()) }
  const { matching } = await jmap.forWholeOrganization().call({
    matching: query('MailAccount', { accountId: context.organization, filter, limit: 1 }),
  })
  return matching.ids[0] ?? (await idOfAlias(context, jmap, filter))
}

/** D16: an alias may be used as `from`. */
async function idOfAlias(context: Context, jmap: JmapClient, filter: object): Promise<string | null> {
  const { found } = await jmap.forWholeOrganization().call({
    matching: query('Alias', { accountId: context.organization, filter, limit: 1 }),
    found: get('Alias', {
      accountId: context.organization,
      '#ids': idsOf('matching', 'Alias'),
      properties: ['id', 'mailboxId', 'enabled'],
    }),
  })
  const [alias] = found.list
  return alias?.enabled ? alias.mailboxId : null
}

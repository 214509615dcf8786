/** Who a message is from: the mailbox that sends it, and the address it says. */
import { baseAddress } from '../../jmap/mail/addresses.ts'
import { get, idsOf, query } from '../calls/jmap-calls.ts'
import type { JmapClient } from '../calls/jmap-client.ts'
import type { IdentityObject } from '../calls/jmap-types.ts'
import { type OpenMailbox, openMailbox } from '../calls/mailbox-access.ts'
import type { Context } from '../endpoint.ts'
import { invalid, Problem } from '../errors/api-error.ts'
import type { EmailAddress } from '../schema/addresses.ts'
import { sameAddress } from '../schema/addresses.ts'
import { readWritten, type WrittenAddress } from './recipients.ts'

export interface Sender {
  readonly mailbox: OpenMailbox
  /** Without a name it gets the one of its identity when it is sent. */
  readonly from: EmailAddress
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
  return { mailbox, from: address ?? { name: null, email: mailbox.address } }
}

/** For a message that is only looked at: as sending fills it in. @throws Problem for what the mailbox may not send from */
export async function withIdentity(jmap: JmapClient, { mailbox, from }: Sender): Promise<Sender> {
  const { identities } = await jmap.call({
    identities: get('Identity', { accountId: mailbox.id, ids: null, properties: ['id', 'name', 'email'] }),
  })
  const identity = identityFor(identities.list, from.email)
  if (!identity) throw invalid('from', 'not_allowed', `The mailbox may not send from ${from.email}.`)
  // D17: an identity without a name of its own is called by its address, which says nothing in a From field.
  const ownName = sameAddress(identity.name, identity.email) || identity.name === '' ? null : identity.name
  return { mailbox, from: { name: from.name ?? ownName, email: from.email } }
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
  if (!name.includes('@'))
    return openMailbox(context, jmap, name).catch((error: unknown) => {
      throw error instanceof Problem && error.code === 'not_found' ? unknown() : error
    })
  const { found } = await jmap.forWholeOrganization().call({
    matching: query('MailAccount', { accountId: context.organization, filter: { sendsAs: name }, limit: 1 }),
    found: get('MailAccount', {
      accountId: context.organization,
      '#ids': idsOf('matching', 'MailAccount'),
      properties: ['id', 'address'],
    }),
  })
  const [mailbox] = found.list
  if (!mailbox) throw unknown()
  if (context.ids.isShutOut(context.principal, mailbox.id)) throw new Problem('mailbox_access_denied')
  return mailbox
}

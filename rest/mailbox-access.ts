/**
 * The mailbox that a request names. Another organization's is not there (404); one of the own organization that the key may not
 * use is refused (403 mailbox_access_denied): the key's owner may know that it exists.
 */
import type { Context } from './endpoint.ts'
import { get, onlyOne } from './jmap-calls.ts'
import type { JmapClient } from './jmap-client.ts'
import { Problem } from './problem.ts'
import { knownId } from './shapes/common.ts'

export interface OpenMailbox {
  /** Of the mailbox and of its JMAP account. */
  readonly id: string
  readonly address: string
}

/** @throws Problem not_found, mailbox_access_denied */
export async function openMailbox(context: Context, jmap: JmapClient, mailboxId: string): Promise<OpenMailbox> {
  const id = knownId(mailboxId, 'mailbox')
  const shutOut = context.ids.isShutOut(context.principal, id)
  const { found } = await (shutOut ? jmap.forWholeOrganization() : jmap).call({
    found: get('MailAccount', { accountId: context.organization, ids: [id], properties: ['id', 'address'] }),
  })
  const mailbox = onlyOne(found, 'mailbox')
  if (shutOut) throw new Problem('mailbox_access_denied')
  return mailbox
}

/** The mailbox that holds an object, found by the object's id alone. @param what the object, as in "There is no such thread." */
export async function openMailboxOf(
  context: Context,
  jmap: JmapClient,
  kind: 'Email' | 'Thread',
  id: string,
  what: string,
): Promise<OpenMailbox> {
  const accountId = context.ids.accountOfId(kind, knownId(id, what))
  if (accountId === null) throw new Problem('not_found', { message: `There is no such ${what}.` })
  return openMailbox(context, jmap, accountId).catch((error: unknown) => {
    if (!(error instanceof Problem) || error.code !== 'not_found') throw error
    // The request named no mailbox: it must not learn that the id belongs to one.
    throw new Problem('not_found', { message: `There is no such ${what}.` })
  })
}

/**
 * The mailbox that a request names. Another organization's is not there (404); one of the own organization that the key may not
 * use is refused (403 mailbox_access_denied): the key's owner may know that it exists.
 */
import type { Context } from '../endpoint.ts'
import { notFound, Problem } from '../errors/api-error.ts'
import { knownId } from '../shapes/common.ts'
import { type Answers, type Calls, type GetAnswer, get, onlyOne } from './jmap-calls.ts'
import type { JmapClient } from './jmap-client.ts'

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

/**
 * `openMailbox`, and calls in the mailbox's account in the same round. @param what the request names: by default the mailbox itself
 * @throws Problem not_found, mailbox_access_denied
 */
export async function inMailbox<C extends Calls>(
  context: Context,
  jmap: JmapClient,
  mailboxId: string,
  calls: (accountId: string) => C,
  what = 'mailbox',
): Promise<{ readonly mailbox: OpenMailbox } & Answers<C>> {
  const id = knownId(mailboxId, what)
  // Whether it exists decides between 403 and 404.
  if (context.ids.isShutOut(context.principal, id)) await openMailbox(context, jmap, id)
  const opened = get('MailAccount', { accountId: context.organization, ids: [id], properties: ['id', 'address'] })
  const answers = await jmap.call({ opened, ...calls(id) }).catch((error: unknown) => {
    throw isNotFound(error) ? notFound(what) : error
  })
  const { opened: found, ...others } = answers as { opened: GetAnswer<OpenMailbox> } & Answers<C>
  return { mailbox: onlyOne(found, what), ...others } as unknown as { readonly mailbox: OpenMailbox } & Answers<C>
}

/** The account of an object, which its id leads to. The request names no mailbox: it must not learn that the id belongs to one. */
export function accountOf(context: Context, kind: 'Email' | 'Thread', id: string, what: string): string {
  const accountId = context.ids.accountOfId(kind, knownId(id, what))
  if (accountId === null) throw notFound(what)
  return accountId
}

function isNotFound(error: unknown): boolean {
  return error instanceof Problem && error.code === 'not_found'
}

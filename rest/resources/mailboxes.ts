import { REST_PAGE_MAX } from '../../server/base/limits.ts'
import { created, destroyed, get, inOrder, onlyOne, set, updated } from '../calls/jmap-calls.ts'
import type { JmapClient } from '../calls/jmap-client.ts'
import type { MailAccountObject } from '../calls/jmap-types.ts'
import { openMailbox } from '../calls/mailbox-access.ts'
import { type Context, endpoint } from '../endpoint.ts'
import { byIds, listOrganization } from '../pagination/organization-list.ts'
import { askFor, cursorPage, type Found, type PageRequest, pageQuery } from '../pagination/pages.ts'
import {
  boolean,
  constant,
  type Infer,
  integer,
  named,
  nullable,
  object,
  optional,
  string,
  timestamp,
  writeOnly,
} from '../schema/schema.ts'
import { instant, instantOrNull } from '../schema/timestamps.ts'
import { id, knownId } from '../shapes/common.ts'

export const Mailbox = named(
  'Mailbox',
  object({
    object: constant('mailbox'),
    id: id('mbx_aaaaaaaaayaaaaaaaaaaaaif7mwq'),
    domain_id: id('dom_aaaaaaaaaeaaaaaaaaaaipjaxmoq'),
    address: string({ examples: ['support@example.com'] }),
    display_name: nullable(string()),
    suspended_at: nullable(timestamp()),
    spam_filter_threshold: integer({ minimum: 1, maximum: 14 }),
    auto_reply: object({
      enabled: boolean(),
      subject: nullable(string()),
      body: nullable(string()),
      from_date: nullable(timestamp()),
      to_date: nullable(timestamp()),
    }),
    created_at: timestamp(),
    updated_at: timestamp(),
  }),
)

// D8
const LOCAL_PART = '^(?!.*\\.\\.)[A-Za-z0-9](?:[A-Za-z0-9._-]{0,62}[A-Za-z0-9])?$'
const displayName = nullable(
  string({
    maxLength: 200,
    pattern: '^[^\\u0000-\\u001f\\u007f]*$',
    description: 'No control characters; empty clears it.',
  }),
)
const password = writeOnly(
  string({
    minLength: 8,
    maxLength: 128,
    pattern: '^(?=[^a-z]*[a-z])(?=[^A-Z]*[A-Z])(?=[^0-9]*[0-9])',
    description: 'It must have a lower-case letter, an upper-case letter and a digit.',
    examples: ['Correct-horse-7'],
  }),
)

export const createMailbox = endpoint({
  method: 'POST',
  path: '/v1/mailboxes',
  operationId: 'createMailbox',
  tag: 'Mailboxes',
  summary: 'Create a mailbox',
  scope: 'mailboxes:write',
  tier: 'write',
  body: object({
    domain_id: string({ description: 'A verified domain.', examples: ['dom_aaaaaaaaaeaaaaaaaaaaipjaxmoq'] }),
    address: string({
      minLength: 1,
      maxLength: 64,
      pattern: LOCAL_PART,
      description: 'The local part: letters, digits, and dots, hyphens and underscores between them.',
      examples: ['support'],
    }),
    display_name: optional(displayName),
  }),
  status: 201,
  response: Mailbox,
  errors: ['forbidden', 'quota_exceeded', 'not_found', 'address_taken', 'domain_not_verified'],
  async run({ body, organization }, jmap) {
    const domainId = knownId(body.domain_id, 'domain')
    const { domains } = await jmap.call({
      domains: get('Domain', { accountId: organization, ids: [domainId], properties: ['id'] }),
    })
    onlyOne(domains, 'domain')
    const record = {
      domainId,
      localPart: body.address.toLowerCase(),
      displayName: cleanName(body.display_name ?? null),
    }
    const { made } = await jmap.call({
      made: set('MailAccount', { accountId: organization, create: { mailbox: record } }),
    })
    const codes = { alreadyExists: 'address_taken' } as const
    const { id } = created(made, 'mailbox', { codes, fields: { localPart: 'address' }, what: 'domain' })
    return readMailbox(jmap, organization, id)
  },
})

export const listMailboxes = endpoint({
  method: 'GET',
  path: '/v1/mailboxes',
  operationId: 'listMailboxes',
  tag: 'Mailboxes',
  summary: 'List mailboxes, newest first',
  description: 'A key that may use some mailboxes only sees those.',
  scope: 'mailboxes:read',
  tier: 'read',
  query: object({ domain_id: optional(string({ description: 'Only mailboxes of this domain.' })), ...pageQuery }),
  status: 200,
  response: cursorPage(Mailbox),
  errors: [],
  run: (input, jmap) =>
    listOrganization(input, jmap, {
      list: 'mailboxes',
      type: 'MailAccount',
      filters: { domain_id: input.query.domain_id },
      filter: byIds({ domain_id: 'domainId' }),
      find: (page) => {
        const allowed = input.ids.restrictionOf(input.principal, page.after)
        return allowed && findAmong(jmap, input.organization, allowed, page)
      },
      show: toMailbox,
    }),
})

export const getMailbox = endpoint({
  method: 'GET',
  path: '/v1/mailboxes/{mailbox_id}',
  operationId: 'getMailbox',
  tag: 'Mailboxes',
  summary: 'Get a mailbox',
  scope: 'mailboxes:read',
  tier: 'read',
  status: 200,
  response: Mailbox,
  errors: ['not_found', 'mailbox_access_denied'],
  async run(input, jmap) {
    const id = knownId(input.params.mailbox_id, 'mailbox')
    // Whether it exists decides between 403 and 404.
    if (input.ids.isShutOut(input.principal, id)) await openMailbox(input, jmap, id)
    return readMailbox(jmap, input.organization, id)
  },
})

export const updateMailbox = endpoint({
  method: 'PATCH',
  path: '/v1/mailboxes/{mailbox_id}',
  operationId: 'updateMailbox',
  tag: 'Mailboxes',
  summary: "Change a mailbox's display name",
  scope: 'mailboxes:write',
  tier: 'write',
  body: object({ display_name: displayName }),
  status: 200,
  response: Mailbox,
  errors: ['not_found', 'mailbox_access_denied', 'forbidden'],
  run: (input, jmap) => {
    return changeMailbox(input, jmap, input.params.mailbox_id, { displayName: cleanName(input.body.display_name) })
  },
})

export const deleteMailbox = endpoint({
  method: 'DELETE',
  path: '/v1/mailboxes/{mailbox_id}',
  operationId: 'deleteMailbox',
  tag: 'Mailboxes',
  summary: 'Delete a mailbox',
  scope: 'mailboxes:write',
  tier: 'write',
  status: 204,
  response: null,
  errors: ['not_found', 'mailbox_access_denied', 'forbidden', 'conflict'],
  async run(input, jmap) {
    const { id } = await openMailbox(input, jmap, input.params.mailbox_id)
    const { gone } = await jmap.call({ gone: set('MailAccount', { accountId: input.organization, destroy: [id] }) })
    destroyed(gone, id, { what: 'mailbox' })
    return null
  },
})

export const setMailboxPassword = endpoint({
  method: 'PATCH',
  path: '/v1/mailboxes/{mailbox_id}/password',
  operationId: 'setMailboxPassword',
  tag: 'Mailboxes',
  summary: "Set a mailbox's password",
  description: 'For mail programs: IMAP, SMTP submission and JMAP with the address as user name. It is never returned.',
  scope: 'mailboxes:write',
  tier: 'write',
  body: object({ password }),
  status: 200,
  response: Mailbox,
  errors: ['not_found', 'mailbox_access_denied', 'forbidden'],
  run: (input, jmap) => changeMailbox(input, jmap, input.params.mailbox_id, { password: input.body.password }),
})

/** For a key that may use some mailboxes only: the organization's list would tell of the others. */
async function findAmong(
  jmap: JmapClient,
  accountId: string,
  allowed: readonly string[],
  page: PageRequest<string>,
): Promise<Found<MailAccountObject>> {
  const domainId = page.filters['domain_id']
  const list: MailAccountObject[] = []
  for (let at = 0; at < allowed.length && list.length < askFor(page); at += REST_PAGE_MAX) {
    const ids = allowed.slice(at, at + REST_PAGE_MAX)
    const { found } = await jmap.call({ found: get('MailAccount', { accountId, ids }) })
    list.push(...inOrder(ids, found.list).filter((mailbox) => domainId === undefined || mailbox.domainId === domainId))
  }
  return { ids: list.slice(0, askFor(page)).map(({ id }) => id), list }
}

export async function changeMailbox(context: Context, jmap: JmapClient, mailboxId: string, patch: object) {
  const { id } = await openMailbox(context, jmap, mailboxId)
  const accountId = context.organization
  const { changed } = await jmap.call({ changed: set('MailAccount', { accountId, update: { [id]: patch } }) })
  updated(changed, id, { what: 'mailbox' })
  return readMailbox(jmap, accountId, id)
}

async function readMailbox(jmap: JmapClient, organization: string, id: string): Promise<Infer<typeof Mailbox>> {
  const { found } = await jmap.call({ found: get('MailAccount', { accountId: organization, ids: [id] }) })
  return toMailbox(onlyOne(found, 'mailbox'))
}

/** D8: trimmed; empty is none. */
function cleanName(name: string | null): string | null {
  return name?.trim() || null
}

function toMailbox(mailbox: MailAccountObject): Infer<typeof Mailbox> {
  const { autoReply } = mailbox
  return {
    object: 'mailbox',
    id: mailbox.id,
    domain_id: mailbox.domainId,
    address: mailbox.address,
    display_name: mailbox.displayName,
    suspended_at: instantOrNull(mailbox.suspendedAt),
    spam_filter_threshold: mailbox.spamFilterThreshold,
    auto_reply: {
      enabled: autoReply.enabled,
      subject: autoReply.subject,
      body: autoReply.body,
      from_date: instantOrNull(autoReply.fromDate),
      to_date: instantOrNull(autoReply.toDate),
    },
    created_at: instant(mailbox.createdAt),
    updated_at: instant(mailbox.updatedAt),
  }
}

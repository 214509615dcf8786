import type { PatchOf } from '../../jmap/type/derived.ts'
import { REST_PAGE_MAX } from '../../server/base/limits.ts'
import { knownId } from '../access/ids.ts'
import { get, inOrder } from '../calls/jmap-calls.ts'
import type { JmapClient } from '../calls/jmap-client.ts'
import { type Caller, openMailbox } from '../calls/mailbox-access.ts'
import { endpoint, type Tag } from '../endpoint.ts'
import { invalid } from '../errors/api-error.ts'
import { byIds, OrganizationObjects } from '../pagination/organization-objects.ts'
import { cursorPage, type Found, type Page, pageQuery } from '../pagination/pages.ts'
import type { MailAccountObject, TypeOf } from '../schema/jmap-types.ts'
import * as s from '../schema/schema.ts'
import { toSnake } from '../schema/to-snake.ts'
import { requireDomain } from './domains.ts'

export const Mailbox = s.resource('Mailbox', 'mailbox', {
  id: s.id('mbx_aaaaaaaaayaaaaaaaaaaaaif7mwq'),
  domain_id: s.id('dom_aaaaaaaaaeaaaaaaaaaaipjaxmoq'),
  address: s.string({ examples: ['support@example.com'] }),
  display_name: s.nullable(s.string()),
  timezone: s.nullable(
    s.string({ description: "IANA zone of the owner's calendar; null: UTC.", examples: ['Europe/Berlin'] }),
  ),
  language: s.nullable(
    s.string({ description: 'Language tag of what the server writes to the owner; null: English.', examples: ['de'] }),
  ),
  suspended_at: s.nullable(s.timestamp()),
  spam_filter_threshold: s.integer({ minimum: 1, maximum: 14 }),
  auto_reply: s.object({
    enabled: s.boolean(),
    subject: s.nullable(s.string()),
    body: s.nullable(s.string()),
    from_date: s.nullable(s.timestamp()),
    to_date: s.nullable(s.timestamp()),
  }),
  created_at: s.timestamp(),
  updated_at: s.timestamp(),
})

/** Of a mailbox or an alias (decisions D8 and D16). */
export function localPart(example: string): s.Schema<string> {
  return s.string({
    minLength: 1,
    maxLength: 64,
    pattern: '^(?!.*\\.\\.)[A-Za-z0-9](?:[A-Za-z0-9._-]{0,62}[A-Za-z0-9])?$',
    description: 'The local part: letters, digits, and dots, hyphens and underscores between them.',
    examples: [example],
  })
}

const displayName = s.nullable(
  s.string({
    maxLength: 200,
    pattern: '^[^\\u0000-\\u001f\\u007f]*$',
    description: 'No control characters; an empty text clears it.',
  }),
)
const timezone = s.nullable(
  s.string({ minLength: 1, maxLength: 64, description: 'IANA zone.', examples: ['Europe/Berlin'] }),
)
const language = s.nullable(
  s.string({ minLength: 2, maxLength: 35, description: 'Language tag (RFC 5646).', examples: ['de'] }),
)
const password = s.writeOnly(
  s.string({
    minLength: 8,
    maxLength: 128,
    pattern: '^(?=[^a-z]*[a-z])(?=[^A-Z]*[A-Z])(?=[^0-9]*[0-9])',
    description: 'It must have a lower-case letter, an upper-case letter and a digit.',
    examples: ['Correct-horse-7'],
  }),
)

export const TAG: Tag = {
  name: 'Mailboxes',
  description: 'Mailboxes on verified domains, with their password, automatic reply and spam threshold.',
}

const objects = new OrganizationObjects({
  type: 'MailAccount',
  what: 'mailbox',
  show: (mailbox) => toSnake(Mailbox, mailbox),
  codes: { alreadyExists: 'address_taken' },
  details: { domainId: 'unknown_reference' },
  fields: { localPart: 'address' },
})

export const createMailbox = endpoint({
  method: 'POST',
  path: '/v1/mailboxes',
  operationId: 'createMailbox',
  tag: TAG,
  summary: 'Create a mailbox',
  description: 'The domain must be verified. The system folders exist at once. setMailboxPassword sets a password.',
  scope: 'mailboxes:write',
  body: s.object({
    domain_id: s.string({ description: 'A verified domain.', examples: ['dom_aaaaaaaaaeaaaaaaaaaaipjaxmoq'] }),
    address: localPart('support'),
    display_name: s.optional(displayName),
  }),
  bodyExample: { domain_id: 'dom_aaaaaaaaaeaaaaaaaaaaipjaxmoq', address: 'support', display_name: 'Support' },
  status: 201,
  response: Mailbox,
  errors: ['forbidden', 'quota_exceeded', 'not_found', 'address_taken', 'domain_not_verified'],
  async run({ body, organization }, jmap) {
    const domainId = await requireDomain(jmap, organization, body.domain_id)
    const displayName = cleanName(body.display_name ?? null)
    const mailbox = { domainId, localPart: body.address.toLowerCase(), displayName }
    return (await objects.create(jmap, organization, mailbox)).shown
  },
})

export const listMailboxes = endpoint({
  method: 'GET',
  path: '/v1/mailboxes',
  operationId: 'listMailboxes',
  tag: TAG,
  summary: 'List mailboxes, newest first',
  description: 'A key that is limited to some mailboxes sees only those.',
  scope: 'mailboxes:read',
  query: s.object({ domain_id: s.optional(s.string({ description: 'Only mailboxes of this domain.' })), ...pageQuery }),
  response: cursorPage(Mailbox),
  errors: ['not_found'],
  async run(input, jmap) {
    const { domain_id } = input.query
    if (domain_id !== undefined) await requireDomain(jmap, input.organization, domain_id)
    return objects.list(input, jmap, {
      list: 'mailboxes',
      filters: { domain_id },
      filter: byIds({ domain_id: 'domainId' }),
      find: (page) => {
        const allowed = input.ids.restrictionOf(input.principal, page.after)
        return allowed && findAmong(jmap, input.organization, allowed, page)
      },
    })
  },
})

export const getMailbox = endpoint({
  method: 'GET',
  path: '/v1/mailboxes/{mailbox_id}',
  operationId: 'getMailbox',
  tag: TAG,
  summary: 'Get a mailbox',
  description: 'By its id. Its messages are under `inbox/messages`.',
  scope: 'mailboxes:read',
  response: Mailbox,
  errors: ['not_found', 'mailbox_access_denied'],
  async run(input, jmap) {
    const id = knownId(input.params.mailbox_id, 'mailbox')
    // Whether the mailbox exists decides between 403 and 404.
    if (input.ids.isDenied(input.principal, id)) await openMailbox(input, jmap, id)
    return objects.read(jmap, input.organization, id)
  },
})

export const updateMailbox = endpoint({
  method: 'PATCH',
  path: '/v1/mailboxes/{mailbox_id}',
  operationId: 'updateMailbox',
  resource: getMailbox,
  tag: TAG,
  summary: "Change a mailbox's display name, time zone or language",
  description:
    'At least one member. The name is used in the From field of messages that set none. All-day events and events without a time zone happen in the time zone. Reminders are written in the time zone and in the language, in English where the server does not know it. null clears any.',
  scope: 'mailboxes:write',
  body: s.object({
    display_name: s.optional(displayName),
    timezone: s.optional(timezone),
    language: s.optional(language),
  }),
  bodyExample: { display_name: 'Customer care' },
  response: Mailbox,
  errors: ['not_found', 'mailbox_access_denied', 'forbidden'],
  run: (input, jmap) => {
    const { display_name, timezone, language } = input.body
    if (display_name === undefined && timezone === undefined && language === undefined)
      throw invalid(null, 'required', 'Send display_name, timezone or language.')
    return changeMailbox(input, jmap, input.params.mailbox_id, {
      ...(display_name !== undefined && { displayName: cleanName(display_name) }),
      ...(timezone !== undefined && { timezone }),
      ...(language !== undefined && { language }),
    })
  },
})

export const deleteMailbox = endpoint({
  method: 'DELETE',
  path: '/v1/mailboxes/{mailbox_id}',
  operationId: 'deleteMailbox',
  resource: getMailbox,
  tag: TAG,
  summary: 'Delete a mailbox',
  description:
    'It stops receiving mail at once, and its address is free. Its aliases are deleted too; its messages are erased after the retention time.',
  scope: 'mailboxes:write',
  status: 204,
  errors: ['not_found', 'mailbox_access_denied', 'forbidden', 'conflict'],
  async run(input, jmap) {
    const { id } = await openMailbox(input, jmap, input.params.mailbox_id)
    return objects.destroy(jmap, input.organization, id)
  },
})

export const setMailboxPassword = endpoint({
  method: 'PATCH',
  path: '/v1/mailboxes/{mailbox_id}/password',
  operationId: 'setMailboxPassword',
  resource: getMailbox,
  tag: TAG,
  summary: "Set a mailbox's password",
  description:
    'For mail programs: SMTP submission and JMAP with the address as user name. It is never returned. Who sets it can log in with it and read all mail of the mailbox, so the mailbox gets a letter about it, and connections that used the old password end. An organization can forbid it to its API keys.',
  scope: 'mailboxes:write',
  body: s.object({ password }),
  bodyExample: { password: 'Correct-horse-7' },
  response: Mailbox,
  errors: ['not_found', 'mailbox_access_denied', 'forbidden'],
  run: (input, jmap) => changeMailbox(input, jmap, input.params.mailbox_id, { password: input.body.password }),
})

/** For a key that is limited to some mailboxes: the list of the organization has all of them. */
async function findAmong(
  jmap: JmapClient,
  accountId: string,
  allowed: readonly string[],
  page: Page<string>,
): Promise<Found<MailAccountObject>> {
  const domainId = page.filters['domain_id']
  const list: MailAccountObject[] = []
  for (let at = 0; at < allowed.length && list.length < page.fetch; at += REST_PAGE_MAX) {
    const ids = allowed.slice(at, at + REST_PAGE_MAX)
    const { found } = await jmap.call({ found: get('MailAccount', { accountId, ids }) })
    list.push(...inOrder(ids, found.list).filter((mailbox) => domainId === undefined || mailbox.domainId === domainId))
  }
  return { ids: list.slice(0, page.fetch).map(({ id }) => id), list }
}

export async function changeMailbox(
  context: Caller,
  jmap: JmapClient,
  mailboxId: string,
  patch: PatchOf<TypeOf<'MailAccount'>>,
) {
  const { id } = await openMailbox(context, jmap, mailboxId)
  return objects.update(jmap, context.organization, id, patch)
}

/** Decision D8: trimmed; an empty name becomes null. */
function cleanName(name: string | null): string | null {
  return name?.trim() || null
}

export const mailboxEndpoints = [
  createMailbox,
  listMailboxes,
  getMailbox,
  updateMailbox,
  deleteMailbox,
  setMailboxPassword,
]

import {
  NewsletterDuplicate,
  NewsletterPreflight,
  NewsletterPreview,
  PREFLIGHT_KEYS,
} from '../../jmap/newsletters/newsletter/newsletter.type.ts'
import { knownId } from '../access/ids.ts'
import { call, get } from '../calls/jmap-calls.ts'
import { type Context, endpoint, type Tag } from '../endpoint.ts'
import { invalid } from '../errors/api-error.ts'
import { fromSetError } from '../errors/jmap-errors.ts'
import { OrganizationObjects } from '../pagination/organization-objects.ts'
import { cursorPage, pageQuery } from '../pagination/pages.ts'
import * as s from '../schema/schema.ts'
import { instant } from '../schema/timestamps.ts'
import { toCamel, toSnake } from '../schema/to-snake.ts'
import {
  type ContentMember,
  changedContent,
  Newsletter,
  newContent,
  PLAIN_MEMBERS,
  UrlBreakdown,
  writable,
} from '../shapes/newsletter.ts'

export const TAG: Tag = {
  name: 'Newsletters',
  description:
    'Messages to audiences: drafts of blocks, their preview, what they lack before they can be sent, and their sending.',
}

/** Numbers and octets of newsletters are no quotas of the plan (decision E21). */
const CODES = { overQuota: 'newsletter_limit_reached' } as const

/** @param sent the member that the blocks are made from, so that faults are in that */
export function newsletters({ baseUrl }: Pick<Context, 'baseUrl'>, sent: ContentMember = 'blocks') {
  return new OrganizationObjects({
    type: 'Newsletter',
    what: 'newsletter',
    show: ({ archivePath, ...newsletter }) =>
      toSnake(Newsletter, newsletter, {
        blocks: newsletter.blocks,
        archive_url: archivePath === null ? null : baseUrl + archivePath,
      }),
    fields: { textOverride: 'body_text', ...(sent !== 'blocks' && { blocks: sent, 'blocks/*': sent }) },
    codes: CODES,
    details: {
      audienceId: 'unknown_reference',
      newsletterDomainId: 'unknown_reference',
      replyToMailboxId: 'unknown_reference',
    },
  })
}

export const createNewsletter = endpoint({
  method: 'POST',
  path: '/v1/newsletters',
  operationId: 'createNewsletter',
  tag: TAG,
  summary: 'Create a draft',
  description:
    'One of `blocks`, `body_html` and `body_text` is needed, in this order of precedence. What else is missing is told by the preflight.',
  scope: 'newsletters:write',
  wholeOrganization: true,
  body: s.object(writable),
  bodyExample: {
    subject: 'News for {{first_name|you}}',
    blocks: [
      { type: 'heading', text: 'May' },
      { type: 'button', label: 'Read more', url: 'https://www.example.com/may' },
    ],
  },
  status: 201,
  response: Newsletter,
  errors: ['newsletter_limit_reached'],
  async run({ body, organization, baseUrl }, jmap) {
    const { sent, ...content } = newContent(body)
    const record = { ...toCamel(body, PLAIN_MEMBERS), ...content }
    return (await newsletters({ baseUrl }, sent).create(jmap, organization, record)).shown
  },
})

export const listNewsletters = endpoint({
  method: 'GET',
  path: '/v1/newsletters',
  operationId: 'listNewsletters',
  tag: TAG,
  summary: 'List newsletters, newest first',
  description: 'With their content: use a small `limit` for large ones.',
  scope: 'newsletters:read',
  wholeOrganization: true,
  query: s.object(pageQuery),
  response: cursorPage(Newsletter),
  run: (input, jmap) => newsletters(input).list(input, jmap, { list: 'newsletters' }),
})

export const getNewsletter = endpoint({
  method: 'GET',
  path: '/v1/newsletters/{newsletter_id}',
  operationId: 'getNewsletter',
  tag: TAG,
  summary: 'Get a newsletter',
  description: 'With its blocks and what was derived from them.',
  scope: 'newsletters:read',
  wholeOrganization: true,
  response: Newsletter,
  errors: ['not_found'],
  run: (input, jmap) => newsletters(input).read(jmap, input.organization, input.params.newsletter_id),
})

export const updateNewsletter = endpoint({
  method: 'PATCH',
  path: '/v1/newsletters/{newsletter_id}',
  operationId: 'updateNewsletter',
  resource: getNewsletter,
  tag: TAG,
  summary: 'Change a draft, or who finds a newsletter in the archive',
  description:
    'At least one member. `body_html` replaces the blocks by one; `body_text` without blocks or `body_html` replaces the text part alone. Of a newsletter that is no draft only `archive_visibility` can be changed: its page follows within two minutes.',
  scope: 'newsletters:write',
  wholeOrganization: true,
  body: s.object(writable),
  bodyExample: { subject: 'June' },
  response: Newsletter,
  errors: ['not_found', 'invalid_state', 'newsletter_limit_reached'],
  async run({ params, body, organization, baseUrl }, jmap) {
    if (Object.keys(writable).every((name) => body[name as keyof typeof body] === undefined))
      throw invalid(null, 'required', 'Send at least one member of a newsletter.')
    const { sent, ...content } = changedContent(body)
    const patch = { ...toCamel(body, PLAIN_MEMBERS), ...content }
    return newsletters({ baseUrl }, sent).update(jmap, organization, params.newsletter_id, patch)
  },
})

export const deleteNewsletter = endpoint({
  method: 'DELETE',
  path: '/v1/newsletters/{newsletter_id}',
  operationId: 'deleteNewsletter',
  resource: getNewsletter,
  tag: TAG,
  summary: 'Delete a newsletter',
  description: 'Drafts and cancelled newsletters only.',
  scope: 'newsletters:write',
  wholeOrganization: true,
  status: 204,
  errors: ['not_found', 'invalid_state'],
  run: (input, jmap) => newsletters(input).destroy(jmap, input.organization, input.params.newsletter_id),
})

export const duplicateNewsletter = endpoint({
  method: 'POST',
  path: '/v1/newsletters/{newsletter_id}/duplicate',
  operationId: 'duplicateNewsletter',
  tag: TAG,
  summary: 'Make a new draft of the same content',
  description: 'Whatever the state of the original. The name begins with `Copy of`.',
  scope: 'newsletters:write',
  wholeOrganization: true,
  status: 201,
  response: Newsletter,
  errors: ['not_found', 'newsletter_limit_reached'],
  async run({ params, organization: accountId, baseUrl }, jmap) {
    const newsletterId = knownId(params.newsletter_id, 'newsletter')
    const { made } = await jmap.call({ made: call(NewsletterDuplicate, { accountId, newsletterId }) })
    if (made.duplicateId === null) throw fromSetError(made.notDuplicated!, { codes: CODES })
    return newsletters({ baseUrl }).read(jmap, accountId, made.duplicateId)
  },
})

const Preflight = s.resource('NewsletterPreflight', 'newsletter_preflight', {
  newsletter_id: s.id('nws_aaaaaaaaaeaaaaaaaaaaipjaxmoq'),
  ready: s.boolean('Nothing fails. Warnings do not count.'),
  items: s.array(
    s.object({
      key: s.oneOf(PREFLIGHT_KEYS),
      status: s.oneOf(['pass', 'fail', 'warning']),
      message: s.string({
        description: 'What to do, if there is something.',
        examples: ['No audience is chosen. Set audience_id.'],
      }),
      field: s.nullable(s.string({ description: 'The member of the newsletter to change.' })),
      action_url: s.nullable(s.string()),
    }),
  ),
  url_breakdown: UrlBreakdown,
  checked_at: s.timestamp(),
})

export const preflightNewsletter = endpoint({
  method: 'POST',
  path: '/v1/newsletters/{newsletter_id}/preflight',
  operationId: 'preflightNewsletter',
  tag: TAG,
  summary: 'Check whether a newsletter can be sent',
  description: 'One item for each key, in a fixed order. Nothing is changed.',
  scope: 'newsletters:read',
  orScope: 'newsletters:write',
  wholeOrganization: true,
  response: Preflight,
  errors: ['not_found'],
  async run({ params, organization: accountId }, jmap) {
    const newsletterId = knownId(params.newsletter_id, 'newsletter')
    const { checked } = await jmap.call({ checked: call(NewsletterPreflight, { accountId, newsletterId }) })
    const items = checked.items.map(({ field, ...item }) => ({
      ...item,
      field: field && memberOf(field),
      action_url: null,
    }))
    return {
      object: 'newsletter_preflight' as const,
      newsletter_id: newsletterId,
      ready: checked.ready,
      items,
      url_breakdown: toSnake(UrlBreakdown, checked.urlBreakdown),
      checked_at: instant(checked.checkedAt),
    }
  },
})

/** The member of REST that a property of JMAP is. */
export function memberOf(property: string): string {
  return property.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
}

const Preview = s.resource('NewsletterPreview', 'newsletter_preview', {
  newsletter_id: s.id('nws_aaaaaaaaaeaaaaaaaaaaipjaxmoq'),
  send_html: s.string({
    examples: ['<!doctype html><html lang="en">...</html>'],
    description: 'As for a subscriber without merge fields. Show it in a sandboxed frame.',
  }),
  archive_html: s.string({
    examples: ['<!doctype html><html lang="en">...</html>'],
    description: 'As on a public page: without links that are of one subscriber.',
  }),
  text: s.string({ examples: ['Hello there'] }),
  warnings: s.array(
    s.object({
      code: s.string({ examples: ['missing_alt'] }),
      message: s.string({ examples: ['1 images have no alt text.'] }),
      block_index: s.nullable(s.integer()),
    }),
  ),
  url_breakdown: UrlBreakdown,
})

export const previewNewsletter = endpoint({
  method: 'POST',
  path: '/v1/newsletters/{newsletter_id}/preview',
  operationId: 'previewNewsletter',
  tag: TAG,
  summary: 'Show a newsletter as it would be sent',
  description: 'With the footer. Merge fields show their fallbacks.',
  scope: 'newsletters:read',
  orScope: 'newsletters:write',
  wholeOrganization: true,
  response: Preview,
  errors: ['not_found', 'forbidden'],
  async run({ params, organization: accountId }, jmap) {
    const newsletterId = knownId(params.newsletter_id, 'newsletter')
    const { shown } = await jmap.call({ shown: call(NewsletterPreview, { accountId, newsletterId }) })
    const { accountId: _accountId, ...preview } = shown
    return toSnake(Preview, { ...preview, newsletterId })
  },
})

const NewsletterDomain = s.resource('NewsletterDomain', 'newsletter_domain', {
  id: s.id('nwd_aaaaaaaaaeaaaaaaaaaaipjaxmoq'),
  domain_id: s.id('dom_aaaaaaaaaeaaaaaaaaaaipjaxmoq'),
  domain_name: s.string({ examples: ['example.com'] }),
  verified: s.boolean('Whether newsletters can be sent from it.'),
  from_addresses: s.array(s.string({ examples: ['newsletter@example.com'] }), {
    description: 'Addresses that From can have; any other of the domain is taken too.',
  }),
  default_reply_to_mailbox_id: s.nullable(
    s.string({ description: 'Where answers go if a newsletter names no mailbox.' }),
  ),
  created_at: s.timestamp(),
})

export const listNewsletterDomains = endpoint({
  method: 'GET',
  path: '/v1/newsletter-domains',
  operationId: 'listNewsletterDomains',
  tag: TAG,
  summary: 'List the domains that newsletters can be sent from',
  description: 'All domains of the organization, oldest first.',
  scope: 'newsletters:read',
  wholeOrganization: true,
  response: s.object({ data: s.array(NewsletterDomain) }),
  calls: ({ organization }) => ({ found: get('NewsletterDomain', { accountId: organization, ids: null }) }),
  reply: ({ found }) => ({ data: found.list.map((domain) => toSnake(NewsletterDomain, domain)) }),
})

export const newsletterEndpoints = [
  createNewsletter,
  listNewsletters,
  getNewsletter,
  updateNewsletter,
  deleteNewsletter,
  duplicateNewsletter,
  preflightNewsletter,
  previewNewsletter,
  listNewsletterDomains,
]

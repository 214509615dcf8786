/** Newsletter/preflight: what is missing before a newsletter can be sent (decision D19). Each message says what to do. */

import { NEWSLETTER_URLS_MAX } from '../../../server/base/newsletter-limits.ts'
import type { Reader } from '../../../storage/ports.ts'
import { findAudience } from '../../../storage/repos/audiences.ts'
import { findRun } from '../../../storage/repos/newsletter-runs.ts'
import { findReputation } from '../../../storage/repos/reputations.ts'
import { sendsOf } from '../../../storage/repos/sending-usage.ts'
import { MailAccount } from '../../mail/mail-account/mail-account.type.ts'
import { domainSendingFault } from '../../policy/domain/sending.ts'
import { isVerifiedStatus } from '../../policy/domain/state.ts'
import { Organization } from '../../policy/organization.type.ts'
import { planOf } from '../../policy/plan.ts'
import { formatUTCDate } from '../../protocol/primitives.ts'
import type { Services } from '../../type/context.ts'
import { implement } from '../../type/method.ts'
import { findStored } from '../../type/object-store.ts'
import { deletedAssets } from '../asset/asset-uses.ts'
import type { UrlBreakdown } from '../content/url-breakdown.ts'
import { type Compiled, compile, newsletterContent, openNewsletter } from './compile.ts'
import { NewsletterPreflight, PREFLIGHT_KEYS } from './newsletter.type.ts'
import { defaultReplyTo, type FoundDomain, findDomain } from './newsletter-domain.ts'
import type { StoredNewsletter } from './stored-newsletter.ts'

type Key = (typeof PREFLIGHT_KEYS)[number]

export type PreflightItem = {
  readonly key: Key
  readonly status: 'pass' | 'fail' | 'warning'
  readonly message: string
  readonly field: string | null
}

/** Who asks: a client, or the worker that sends. */
export interface Asking {
  readonly services: Services
  /** Number of the organization. */
  readonly account: number
}

export interface Preflight {
  readonly newsletter: StoredNewsletter
  readonly items: readonly PreflightItem[]
  readonly compiled: Compiled
}

export const preflightMethod = implement(NewsletterPreflight, async (method, { newsletterId }) => {
  const asking = { services: method.services, account: method.account.number }
  const { items, compiled } = await preflight(
    asking,
    (use) => method.read(use),
    (reader) => openNewsletter(method, reader, newsletterId),
  )
  return {
    accountId: method.account.id,
    ready: failedOf(items).length === 0,
    items,
    urlBreakdown: { ...('faults' in compiled ? NO_URLS : compiled.urls) },
    checkedAt: formatUTCDate(method.services.clock.now()),
  }
})

/** @param open reads the newsletter */
export async function preflight(
  asking: Asking,
  read: <T>(use: (reader: Reader) => Promise<T>) => Promise<T>,
  open: (reader: Reader) => Promise<StoredNewsletter>,
): Promise<Preflight> {
  const { newsletter, facts, content, deleted } = await read(async (reader) => {
    const found = await open(reader)
    return {
      newsletter: found,
      facts: await factItems(asking, reader, found),
      content: await newsletterContent(reader, asking.account, found),
      deleted: await deletedAssets(reader, asking.services.keyring, asking.account, found.content),
    }
  })
  const compiled = await compile(asking.services, asking.account, content)
  return { newsletter, compiled, items: inOrder([...facts, ...contentItems(compiled, content.subject, deleted)]) }
}

/** What keeps it from being sent. @param keys only these */
export function failedOf(items: readonly PreflightItem[], keys: readonly PreflightItem['key'][] = ORDER) {
  return items.filter(({ key, status }) => status === 'fail' && keys.includes(key))
}

const ORDER: readonly Key[] = PREFLIGHT_KEYS

function inOrder(items: readonly PreflightItem[]): PreflightItem[] {
  return ORDER.flatMap((key) => items.filter((item) => item.key === key))
}

const NO_URLS: UrlBreakdown = {
  hrefCount: 0,
  imageSrcCount: 0,
  videoHrefCount: 0,
  textUrlCount: 0,
  uniqueUrlCount: 0,
  maxUniqueUrls: NEWSLETTER_URLS_MAX,
  offendingUrls: [],
}

const pass = (key: Key, message: string): PreflightItem => ({ key, status: 'pass', message, field: null })
const fail = (key: Key, message: string, field: string | null = null): PreflightItem => ({
  key,
  status: 'fail',
  message,
  field,
})
const warning = (key: Key, message: string, field: string | null = null): PreflightItem => ({
  key,
  status: 'warning',
  message,
  field,
})

async function factItems(asking: Asking, reader: Reader, newsletter: StoredNewsletter): Promise<PreflightItem[]> {
  const { account } = asking
  const domain = await findDomain(reader, account, newsletter.row.domain)
  const organization = (await findStored(reader, account, Organization, account))?.data
  return [
    await domainItem(asking, reader, domain),
    await replyToItem(reader, account, newsletter, domain),
    await audienceItem(reader, account, newsletter),
    footerItem(organization?.legalName ?? null, organization?.postalAddress ?? null),
    testItem(newsletter, organization?.requireTestSend ?? false),
    await accountItem(asking, reader, newsletter),
  ]
}

async function domainItem(
  { services, account }: Asking,
  reader: Reader,
  domain: FoundDomain | null,
): Promise<PreflightItem> {
  const key = 'domain_verification'
  const field = 'newsletterDomainId'
  if (!domain)
    return fail(key, 'There is no domain to send from. Add a domain, verify it, and set newsletter_domain_id.', field)
  const { name, status } = domain.data
  if (!isVerifiedStatus(status))
    return fail(
      key,
      `The domain ${name} is not verified. Publish its DNS records and check them, or choose another domain.`,
      field,
    )
  const address = [`newsletter@${name}`]
  const fault = await domainSendingFault(reader, account, address, services.clock.now())
  if (fault) return fail(key, `${fault.description ?? name} Publish the record again and check the domain.`, field)
  return status === 'degraded'
    ? warning(
        key,
        `A DNS record of ${name} is wrong at present. Publish it again before the newsletter is sent.`,
        field,
      )
    : pass(key, `${name} is verified.`)
}

async function replyToItem(
  reader: Reader,
  account: number,
  { settings }: StoredNewsletter,
  domain: FoundDomain | null,
): Promise<PreflightItem> {
  const key = 'reply_to_mailbox'
  const field = 'replyToMailboxId'
  const mailbox =
    settings.replyTo === null
      ? domain && (await defaultReplyTo(reader, account, domain.data))
      : await findStored(reader, account, MailAccount, settings.replyTo)
  if (!mailbox)
    return fail(
      key,
      'No mailbox takes the answers of readers. Create a mailbox on the domain, or set reply_to_mailbox_id.',
      field,
    )
  if (mailbox.data.suspendedAt !== null)
    return fail(key, `The mailbox ${mailbox.data.address} is suspended. Choose another reply_to_mailbox_id.`, field)
  return pass(key, `Answers go to ${mailbox.data.address}.`)
}

async function audienceItem(reader: Reader, account: number, { row }: StoredNewsletter): Promise<PreflightItem> {
  const key = 'audience_consent'
  const audience = row.audience === null ? null : await findAudience(reader, account, row.audience)
  if (!audience) return fail(key, 'No audience is chosen. Set audience_id.', 'audienceId')
  if (audience.subscribed_count === 0)
    return fail(
      key,
      `The audience ${audience.name} has no subscribed members. Add subscribers, or choose another.`,
      'audienceId',
    )
  return pass(key, `${audience.subscribed_count} subscribers. Consent: ${audience.consent_source}`)
}

function footerItem(legalName: string | null, postalAddress: string | null): PreflightItem {
  const key = 'footer_identity'
  const missing = [legalName === null && 'legal_name', postalAddress === null && 'postal_address'].filter(Boolean)
  return missing.length > 0
    ? fail(key, `Set ${missing.join(' and ')} of the organization: laws require both in every newsletter.`)
    : pass(key, `The footer names ${legalName}.`)
}

function testItem({ settings }: StoredNewsletter, isRequired: boolean): PreflightItem {
  const key = 'test_send'
  if (settings.lastTestSentAt !== null) return pass(key, `A test was sent at ${settings.lastTestSentAt}.`)
  const words = 'No test was sent. Send one to yourself and read it.'
  return isRequired ? fail(key, `${words} The organization requires it.`) : warning(key, words)
}

/** Reputation, and the sends that the plan has left. */
async function accountItem(
  { services: { limits, clock }, account }: Asking,
  reader: Reader,
  { row }: StoredNewsletter,
): Promise<PreflightItem> {
  const key = 'account_restrictions'
  const status = limits.reputation.isOn ? (await findReputation(reader, account))?.status : undefined
  if (status === 'suspended' || status === 'throttled')
    return fail(
      key,
      `Sending is ${status}: too many messages bounced or were complained about. Wait until it has recovered.`,
    )
  const { plan, period } = await planOf(reader, limits, account, clock.now())
  const audience = row.audience === null ? null : await findAudience(reader, account, row.audience)
  const run = await findRun(reader, account, row.id)
  // Of one that has begun, those who are left.
  const needed = run?.step === 'send' ? run.waiting : (audience?.subscribed_count ?? 0)
  if (plan.sends !== null) {
    const left = Math.max(0, plan.sends - (await sendsOf(reader, account, period.key)))
    if (left < Math.max(needed, 1))
      return fail(key, `The plan ${plan.name} has ${left} sends left in this period, and ${needed} are needed.`)
  }
  return status === 'warning'
    ? warning(key, 'Many messages bounced or were complained about. Sending stops if there are more.')
    : pass(key, 'Nothing restricts sending.')
}

/** @param subject as it was written @param deleted assets that it names and that are gone */
function contentItems(compiled: Compiled, subject: string, deleted: number): PreflightItem[] {
  if ('faults' in compiled)
    return [
      fail('body', compiled.faults[0]?.message ?? 'The content is not valid.', 'blocks'),
      warning('links', 'They are checked when the body is right.'),
      warning('images', 'They are checked when the body is right.'),
    ]
  const { warnings, urls } = compiled
  const first = (...codes: readonly string[]) => warnings.find(({ code }) => codes.includes(code))?.message
  const dirt = first('html_cleaned', 'merge_field_without_fallback', 'gmail_clipping')
  const body =
    subject.trim() === ''
      ? fail('body', 'There is no subject. Set subject.', 'subject')
      : dirt !== undefined
        ? warning('body', dirt, 'blocks')
        : pass('body', 'Subject and content are there.')
  const links =
    urls.offendingUrls.length > 0
      ? fail(
          'links',
          `There are ${urls.uniqueUrlCount} different URLs, images included; ${urls.maxUniqueUrls} are allowed. Remove some.`,
          'blocks',
        )
      : pass('links', `${urls.uniqueUrlCount} of ${urls.maxUniqueUrls} different URLs are used.`)
  const picture = first('missing_alt', 'insecure_image')
  const images =
    deleted > 0
      ? fail('images', `${deleted} images or videos in it were deleted. Upload them again, or remove them.`, 'blocks')
      : picture !== undefined
        ? warning('images', picture, 'blocks')
        : pass('images', `${urls.imageSrcCount} images, each with a text.`)
  return [body, links, images]
}

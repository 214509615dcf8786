/** What the preflight reads of the organization: sender, audience, footer, test, restrictions. */
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
import type { Services } from '../../type/context.ts'
import { findStored } from '../../type/object-store.ts'
import { defaultReplyTo, type FoundDomain, findDomain } from './newsletter-domain.ts'
import { fail, type PreflightItem, pass, warning } from './preflight-item.ts'
import type { StoredNewsletter } from './stored-newsletter.ts'

/** Who asks: a client, or the worker that sends. */
export interface Asking {
  readonly services: Services
  /** Number of the organization. */
  readonly account: number
}

export async function factItems(
  asking: Asking,
  reader: Reader,
  newsletter: StoredNewsletter,
): Promise<PreflightItem[]> {
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

/** What a newsletter names must be the organization's: audience, domain, mailbox, sender's address. */
import type { AccountUnit } from '../../../storage/ports.ts'
import { findAudience } from '../../../storage/repos/audiences.ts'
import { MailAccount } from '../../mail/mail-account/mail-account.type.ts'
import { domainOf, normaliseAddress } from '../../message/mail-address.ts'
import { invalidProperties, type SetError } from '../../protocol/errors.ts'
import type { MethodContext } from '../../type/context.ts'
import { findStored } from '../../type/object-store.ts'
import { Audience } from '../audience/audience.type.ts'
import type { NewsletterObject } from './newsletter.type.ts'
import { defaultFromAddress, findDomain, oldestVerifiedDomain } from './newsletter-domain.ts'
import { NewsletterDomain } from './newsletter-domain.type.ts'

type Named = Pick<NewsletterObject, 'audienceId' | 'newsletterDomainId' | 'replyToMailboxId' | 'fromAddress'>

export interface Settled {
  /** Numbers. */
  readonly audience: number | null
  readonly domain: number | null
  readonly replyTo: number | null
  readonly fromAddress: string | null
}

interface Scene {
  readonly method: MethodContext
  readonly unit: AccountUnit
}

/** @param before of a newsletter that is changed: an address that was the default of its domain goes with the domain */
export async function settleNewsletter(
  scene: Scene,
  named: Named,
  before: { readonly domain: number | null } | null,
): Promise<Settled | { readonly error: SetError }> {
  const { method, unit } = scene
  const audience = named.audienceId === null ? null : (method.number(Audience, named.audienceId) ?? 0)
  if (audience !== null && !(await findAudience(unit, unit.account, audience)))
    return { error: invalidProperties(['audienceId'], 'There is no such audience.') }
  const replyTo = await replyToOf(scene, named.replyToMailboxId)
  if (replyTo === undefined) return { error: invalidProperties(['replyToMailboxId'], 'There is no such mailbox.') }
  const number =
    named.newsletterDomainId === null ? null : (method.number(NewsletterDomain, named.newsletterDomainId) ?? 0)
  const domain =
    number === null ? await oldestVerifiedDomain(unit, unit.account) : await findDomain(unit, unit.account, number)
  if (number !== null && !domain)
    return { error: invalidProperties(['newsletterDomainId'], 'There is no such newsletter domain.') }
  const old = before && (await findDomain(unit, unit.account, before.domain))
  const isDefault = old !== null && named.fromAddress === defaultFromAddress(old.data)
  const wanted = named.fromAddress === null || isDefault ? null : normaliseAddress(named.fromAddress)
  if (named.fromAddress !== null && !isDefault && wanted === null)
    return { error: invalidProperties(['fromAddress'], 'It is not an address.') }
  if (wanted !== null && domainOf(wanted) !== domain?.data.name)
    return { error: invalidProperties(['fromAddress'], 'The address is of another domain than the newsletter domain.') }
  const fromAddress = wanted ?? (domain ? defaultFromAddress(domain.data) : null)
  return { audience, domain: domain?.id ?? null, replyTo, fromAddress }
}

/** undefined: there is no such mailbox. */
async function replyToOf({ method, unit }: Scene, id: string | null): Promise<number | null | undefined> {
  if (id === null) return null
  const number = method.services.ids.accountNumber('mailbox', id)
  const found = number === null ? null : await findStored(unit, unit.account, MailAccount, number)
  return found ? found.id : undefined
}

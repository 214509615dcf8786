/** A stored newsletter as templates, with the sender's identity as it is now. */
import { Failure } from '../../../server/base/errors.ts'
import { FairTurns } from '../../../server/base/fair-turns.ts'
import {
  RENDERINGS_WAITING_MAX,
  RENDERINGS_WAITING_PER_ORGANIZATION_MAX,
} from '../../../server/base/newsletter-limits.ts'
import type { Reader } from '../../../storage/ports.ts'
import { Organization } from '../../policy/organization.type.ts'
import { MethodError } from '../../protocol/errors.ts'
import type { MethodContext, Services } from '../../type/context.ts'
import { findStored } from '../../type/object-store.ts'
import { mayKnowAudiences } from '../access.ts'
import type { Fault } from '../content/fault.ts'
import type { CompiledNewsletter, NewsletterContent } from '../content/newsletter-content.ts'
import { Newsletter } from './newsletter.type.ts'
import { readNewsletter, type StoredNewsletter } from './stored-newsletter.ts'

/** @throws MethodError notFound */
export async function openNewsletter(method: MethodContext, reader: Reader, id: string): Promise<StoredNewsletter> {
  const number = mayKnowAudiences(method) ? method.number(Newsletter, id) : null
  const found = await readNewsletter(reader, method.account.number, number)
  if (!found) throw new MethodError('notFound', 'There is no such newsletter.')
  return found
}

/** Data that the renderer needs: it runs elsewhere. */
export async function newsletterContent(
  reader: Reader,
  account: number,
  { settings, content }: StoredNewsletter,
): Promise<NewsletterContent> {
  const organization = await findStored(reader, account, Organization, account)
  const { legalName = null, postalAddress = null, accentColor = null } = organization?.data ?? {}
  return {
    subject: settings.subject,
    previewText: settings.previewText,
    blocks: content.blocks,
    ownText: content.textOverride,
    hasArchive: settings.archiveVisibility !== 'private',
    language: settings.language,
    accent: accentColor,
    sender: { legalName, postalAddress },
  }
}

export type Compiled = CompiledNewsletter | { readonly faults: readonly Fault[] }

/**
 * Faults of content that was accepted when it was stored are by rules that have become stricter since.
 * @param organization its number @throws Failure `busy`
 */
export async function compile(
  { messageWork }: Pick<Services, 'messageWork'>,
  organization: number,
  content: NewsletterContent,
): Promise<Compiled> {
  const compiled = await turns.within(organization, () =>
    messageWork.compileNewsletter(Buffer.from(JSON.stringify(content))),
  )
  if (compiled === null) throw new Failure('busy', 'too many newsletters wait to be rendered')
  return compiled
}

/** One at a time: the threads that render also read large mails, which wait for one newsletter at most. */
const turns = new FairTurns(RENDERINGS_WAITING_PER_ORGANIZATION_MAX, RENDERINGS_WAITING_MAX)

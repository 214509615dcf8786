/** A stored newsletter as templates, with the sender's identity as it is now. */
import type { Reader } from '../../../storage/ports.ts'
import { Organization } from '../../policy/organization.type.ts'
import { MethodError } from '../../protocol/errors.ts'
import type { MethodContext } from '../../type/context.ts'
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

/** Faults: of content that was accepted when it was stored, by rules that have become stricter since. */
export function compile({ services }: Pick<MethodContext, 'services'>, content: NewsletterContent): Promise<Compiled> {
  return services.messageWork.compileNewsletter(Buffer.from(JSON.stringify(content)))
}

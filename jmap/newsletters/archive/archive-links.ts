/** Paths of newsletters in the public archive. They are unguessable: an unlisted newsletter is for those who have its link. */
import type { Keyring } from '../../../server/base/keyring.ts'
import { SignedLinks } from '../../type/signed-links.ts'
import type { NewsletterSettings } from '../newsletter/stored-newsletter.ts'

const LINKS = new SignedLinks('newsletter archive')

export interface ArchivedNewsletter {
  /** Number of the organization. */
  readonly account: number
  /** Number of the Newsletter. */
  readonly newsletter: number
}

/** The path stays the same as long as the newsletter exists. */
export function archivePath(keyring: Keyring, { account, newsletter }: ArchivedNewsletter): string {
  return `/archive/${LINKS.makeToken(keyring, { account, nonce: newsletter.toString(36) })}`
}

/** null: this installation did not make it. */
export function readArchiveToken(keyring: Keyring, token: string): ArchivedNewsletter | null {
  const link = LINKS.readToken(keyring, token)
  return link && { account: link.account, newsletter: Number.parseInt(link.nonce, 36) }
}

/** Of its page; null: it has none. */
export function archivePathOf(
  keyring: Keyring,
  { account, id: newsletter }: { readonly account: number; readonly id: number },
  settings: Pick<NewsletterSettings, 'archiveVisibility' | 'startedAt'>,
): string | null {
  return isShown(settings) ? archivePath(keyring, { account, newsletter }) : null
}

/** Whether it has a page: it is not private, and its sending has begun. */
export function isShown({
  archiveVisibility,
  startedAt,
}: Pick<NewsletterSettings, 'archiveVisibility' | 'startedAt'>): boolean {
  return archiveVisibility !== 'private' && startedAt !== null
}

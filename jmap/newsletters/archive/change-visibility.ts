/** Who finds a newsletter in the archive, changed after it left the state of a draft: pages appear and go with it. */
import type { AccountUnit } from '../../../storage/ports.ts'
import { updateNewsletter } from '../../../storage/repos/newsletters.ts'
import { formatUTCDate } from '../../protocol/primitives.ts'
import type { MethodContext } from '../../type/context.ts'
import { Newsletter, type NewsletterObject } from '../newsletter/newsletter.type.ts'
import type { StoredNewsletter } from '../newsletter/stored-newsletter.ts'
import { archivePathOf } from './archive-links.ts'

export async function changeVisibility(
  { services: { keyring } }: MethodContext,
  unit: AccountUnit,
  { row, settings: before }: StoredNewsletter,
  archiveVisibility: NewsletterObject['archiveVisibility'],
): Promise<{ readonly updated: Pick<NewsletterObject, 'archivePath' | 'updatedAt'> }> {
  const settings = { ...before, archiveVisibility }
  await updateNewsletter(unit, row.id, { settings: JSON.stringify(settings), updated_at: unit.now })
  unit.change(Newsletter.name, row.id, 'u', ['archiveVisibility', 'archivePath', 'updatedAt'])
  return { updated: { archivePath: archivePathOf(keyring, row, settings), updatedAt: formatUTCDate(unit.now) } }
}

/** What the end of an audience means for its newsletters: they name none, and the preflight says so. */
import type { AccountUnit } from '../../../storage/ports.ts'
import { newslettersOf, updateNewsletter } from '../../../storage/repos/newsletters.ts'
import { Newsletter } from './newsletter.type.ts'

export async function forgetAudience(unit: AccountUnit, audience: number): Promise<void> {
  for (const id of await newslettersOf(unit, unit.account, audience)) {
    await updateNewsletter(unit, id, { audience: null, updated_at: unit.now })
    unit.change(Newsletter.name, id, 'u', ['audienceId', 'updatedAt'])
  }
}

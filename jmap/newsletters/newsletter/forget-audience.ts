/** What the end of an audience means for its newsletters (decision D18): they name none, and one that was scheduled is a draft again. */
import type { AccountUnit } from '../../../storage/ports.ts'
import { deleteRun } from '../../../storage/repos/newsletter-runs.ts'
import { findNewsletter, newslettersOf, updateNewsletter } from '../../../storage/repos/newsletters.ts'
import { type SetError, setError } from '../../protocol/errors.ts'
import { moveNewsletter } from '../run/run-state.ts'
import { Newsletter } from './newsletter.type.ts'

/** null: nothing keeps the audience. One that a newsletter is being sent to, or waits for the rest, stays. */
export async function forgetAudience(unit: AccountUnit, audience: number): Promise<SetError | null> {
  const rows = []
  for (const id of await newslettersOf(unit, unit.account, audience))
    rows.push((await findNewsletter(unit, unit.account, id))!)
  const busy = rows.find(({ status }) => status === 'sending' || status === 'paused')
  if (busy) return setError('invalidState', 'A newsletter is being sent to the audience. Cancel it first.')
  for (const row of rows) {
    if (row.status === 'scheduled') {
      await deleteRun(unit, row.id)
      await moveNewsletter(unit, row, 'draft', { scheduledAt: null })
    }
    await updateNewsletter(unit, row.id, { audience: null, updated_at: unit.now })
    unit.change(Newsletter.name, row.id, 'u', ['audienceId', 'updatedAt'])
  }
  return null
}

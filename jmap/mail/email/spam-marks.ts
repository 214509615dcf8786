/**
 * What the classifier learns from a user's actions. Moves into Junk and `$junk` mean spam. Moves out of Junk (except to Trash),
 * `$notjunk` and answers mean wanted mail. Mail that the server itself moves into Junk means neither.
 */
import type { AccountUnit } from '../../../storage/ports.ts'
import { putSpamMark } from '../../../storage/repos/spam-marks.ts'
import { mailboxesByRole } from '../mailbox/counts.ts'

export interface EmailState {
  readonly mailboxes: readonly number[]
  /** In lower case. */
  readonly keywords: readonly string[]
}

/** Keywords with a meaning for the classifier. */
const SIGNS = ['$junk', '$notjunk', '$answered']

export type SpamMark = 'spam' | 'ham' | 'none'

/** The mark for a change; null: none. Changed keywords take precedence over the move in the same change. */
function markOf(
  before: EmailState,
  after: EmailState,
  { junk, trash }: { readonly junk: number | undefined; readonly trash: number | undefined },
): SpamMark | null {
  const gained = (keyword: string) => after.keywords.includes(keyword) && !before.keywords.includes(keyword)
  const lost = (keyword: string) => before.keywords.includes(keyword) && !after.keywords.includes(keyword)
  if (gained('$junk') !== gained('$notjunk')) return gained('$junk') ? 'spam' : 'ham'
  const isIn = ({ mailboxes }: EmailState, mailbox: number | undefined) =>
    mailbox !== undefined && mailboxes.includes(mailbox)
  const wasJunk = isIn(before, junk)
  const isJunk = isIn(after, junk)
  if (isJunk && !wasJunk) return 'spam'
  if (wasJunk && !isJunk) return isIn(after, trash) ? null : 'ham'
  if (lost('$junk') || lost('$notjunk')) return 'none'
  if (gained('$answered') && !isJunk && !after.keywords.includes('$junk')) return 'ham'
  return null
}

/** Inside a unit of work: stores the mark of a change, from which the trainer learns after the commit. */
export async function noteSpamMark(
  unit: AccountUnit,
  row: { readonly id: number; readonly blob: number },
  before: EmailState,
  after: EmailState,
): Promise<void> {
  const isMoved = before.mailboxes.join() !== after.mailboxes.join()
  if (!isMoved && !SIGNS.some((sign) => before.keywords.includes(sign) !== after.keywords.includes(sign))) return
  const roles = await mailboxesByRole(unit)
  const kind = markOf(before, after, { junk: roles.get('junk'), trash: roles.get('trash') })
  if (kind !== null) await putSpamMark(unit, { email: row.id, blob: row.blob, kind })
}

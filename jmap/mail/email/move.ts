/**
 * Changes the mailboxes and keywords of an email, or destroys it: rows, side tables, counts and change log follow in the same unit of
 * work.
 */
import type { AccountUnit } from '../../../storage/ports.ts'
import { deleteEmailDelivery } from '../../../storage/repos/email-deliveries.ts'
import { removeIdentity } from '../../../storage/repos/email-identities.ts'
import { addKeyword, addToMailbox, removeFromMailbox, removeKeyword } from '../../../storage/repos/email-side-tables.ts'
import { removeSortKeys } from '../../../storage/repos/email-sort-keys.ts'
import { deleteEmail, type EmailSummary, findEmail, updateEmail } from '../../../storage/repos/emails.ts'
import { keepWithSubmissions } from '../../../storage/repos/submissions.ts'
import { takeUnindexed } from '../../../storage/repos/unindexed.ts'
import { searchIndexOf } from '../../../storage/search/engines.ts'
import { isUnread, keywordsText, parseKeywords } from '../../message/keywords.ts'
import { type SetError, setError } from '../../protocol/errors.ts'
import type { Services } from '../../type/context.ts'
import type { UpdateOutcome } from '../../type/handlers.ts'
import { countChange } from '../mailbox/counts.ts'
import { countOctets } from '../quota/octets.ts'
import { sentRecordOf } from '../submission/sent-record.ts'
import { parseMailboxes } from './load.ts'

/** Inside a unit of work: sets the mailboxes and keywords of an email; rows, counts and change log follow. */
export async function moveEmail(
  unit: AccountUnit,
  row: EmailSummary,
  mailboxes: readonly number[],
  keywords: readonly string[],
): Promise<UpdateOutcome> {
  const oldMailboxes = parseMailboxes(row.mailboxes)
  const oldKeywords = parseKeywords(row.keywords)
  const sorted = [...new Set(mailboxes)].sort((a, b) => a - b)
  const props: string[] = []
  for (const mailbox of oldMailboxes.filter((old) => !sorted.includes(old))) await removeFromMailbox(unit, mailbox, row)
  for (const mailbox of sorted.filter((next) => !oldMailboxes.includes(next))) await addToMailbox(unit, mailbox, row)
  if (sorted.join() !== oldMailboxes.join()) props.push('mailboxIds')
  for (const keyword of oldKeywords.filter((old) => !keywords.includes(old))) await removeKeyword(unit, keyword, row)
  for (const keyword of keywords.filter((next) => !oldKeywords.includes(next))) await addKeyword(unit, keyword, row)
  if (keywords.join() !== [...oldKeywords].sort().join()) props.push('keywords')
  // RFC 8620 5.3: an update without a change is no error and no change.
  if (props.length === 0) return { updated: null }
  await updateEmail(unit, {
    id: row.id,
    keywords: keywordsText(keywords),
    mailboxes: sorted.join(','),
    unread: Number(isUnread(keywords)),
  })
  await countChange(unit, {
    id: row.id,
    thread: row.thread,
    receivedAt: row.received_at,
    before: { mailboxes: oldMailboxes, unread: isUnread(oldKeywords) },
    after: { mailboxes: sorted, unread: isUnread(keywords) },
  })
  unit.change('Email', row.id, 'u', props)
  return { updated: null }
}

/** Inside a unit of work: removes an email from every index and count. Its blob stays until the sweep finds no reference to it. */
export async function destroyEmail(services: Services, unit: AccountUnit, number: number): Promise<SetError | null> {
  const row = await findEmail(unit, unit.account, number)
  if (!row) return setError('notFound')
  const mailboxes = parseMailboxes(row.mailboxes)
  const keywords = parseKeywords(row.keywords)
  for (const mailbox of mailboxes) await removeFromMailbox(unit, mailbox, row)
  for (const keyword of keywords) await removeKeyword(unit, keyword, row)
  // An email that is not indexed yet has only a mark to delete.
  if (!(await takeUnindexed(unit, number))) await searchIndexOf(unit.sql).remove(unit, number)
  await keepWithSubmissions(unit, number, JSON.stringify(sentRecordOf(row)))
  await removeSortKeys(unit, number)
  await removeIdentity(unit, number)
  await deleteEmail(unit, number)
  await deleteEmailDelivery(unit, number)
  await countChange(unit, {
    id: number,
    thread: row.thread,
    receivedAt: row.received_at,
    before: { mailboxes, unread: isUnread(keywords) },
    after: null,
  })
  countOctets(services, unit, -row.size)
  unit.change('Email', number, 'd')
  return null
}

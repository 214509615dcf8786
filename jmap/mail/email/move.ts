/** An email gets other mailboxes and keywords, or goes: rows, side tables, counts and change log follow in the same unit of work. */
import type { AccountUnit } from '../../../storage/ports.ts'
import { deleteEmailDelivery } from '../../../storage/repos/email-deliveries.ts'
import { addKeyword, addToMailbox, removeFromMailbox, removeKeyword } from '../../../storage/repos/email-side-tables.ts'
import { deleteEmail, type EmailSummary, findEmail, updateEmail } from '../../../storage/repos/emails.ts'
import { keepWithSubmissions } from '../../../storage/repos/submissions.ts'
import { takeUnindexed } from '../../../storage/repos/unindexed.ts'
import { searchIndexOf } from '../../../storage/search/engines.ts'
import type { Services } from '../../context.ts'
import { type SetError, setError } from '../../protocol/errors.ts'
import type { UpdateOutcome } from '../../type/handlers.ts'
import { countChange } from '../counts.ts'
import { isUnread, keywordsText, parseKeywords } from '../keywords.ts'
import { countOctets } from '../quota.ts'
import { keptOf } from '../submission/kept.ts'
import { parseMailboxes } from './load.ts'

/** Inside: gives an email its mailboxes and keywords; rows, counts and change log follow. */
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
  // RFC 8620 5.3: an update that changes nothing is no error, and no change.
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

/** Inside: takes an email out of every index and count. Its blob stays until the sweep finds that nothing refers to it. */
export async function destroyEmail(services: Services, unit: AccountUnit, number: number): Promise<SetError | null> {
  const row = await findEmail(unit, unit.account, number)
  if (!row) return setError('notFound')
  const mailboxes = parseMailboxes(row.mailboxes)
  const keywords = parseKeywords(row.keywords)
  for (const mailbox of mailboxes) await removeFromMailbox(unit, mailbox, row)
  for (const keyword of keywords) await removeKeyword(unit, keyword, row)
  // An email that never got into the index has only its mark to take away.
  if (!(await takeUnindexed(unit, number))) await searchIndexOf(unit.sql).remove(unit, number)
  await keepWithSubmissions(unit, number, JSON.stringify(keptOf(row)))
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

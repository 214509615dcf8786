/** Which lines of the contract ask for a test: rows of tables and numbered rules in the sections that are built. */

/** Headings as they stand there. What is built later is added when it is. */
const SECTIONS = [
  'Domain',
  'DNS record set',
  'Mailbox',
  'Mailbox folder',
  'Mailbox identity',
  'Inbox message',
  'Inbox rule and rule set',
  'Thread',
  'Webhook',
  'Suppression',
  'Pagination object',
  'States and transitions',
  'Status',
  'Domains',
  'Mailboxes',
  'Folders',
  'Identities',
  'Inbox',
  'Inbox rules',
  'Threads and replies',
  'Webhooks',
  'Suppressions',
  'Authentication',
  'Events',
  'Delivery and retry',
  'Signature verification',
  'Errors',
  'Rate limits',
  'Pagination',
  'Plan quotas',
  'Other constants',
  'Versioning',
]

/** Line numbers, from 1. A paragraph or a list item counts as a row of a table does: sections without a table have rules too. */
export function linesToCover(text: string): number[] {
  const lines = text.split('\n')
  let inside = false
  return lines.flatMap((line, i) => {
    const heading = /^#{2,3} (.+?)(?: \(.*\))?$/.exec(line)
    if (heading) inside = SECTIONS.includes(heading[1]!)
    return inside && !heading && says(line, lines[i + 1]) ? [i + 1] : []
  })
}

/** Not the head of a table, the rule below it, or a line that only leads to what comes. */
function says(line: string, next = ''): boolean {
  if (line.trim() === '') return false
  if (line.startsWith('|')) return !/^\|[\s|:-]+\|$/.test(line) && !/^\|[\s|:-]+\|$/.test(next)
  return !/:$/.test(line.trim())
}

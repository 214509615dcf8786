/**
 * Gmail's IMAP extension X-GM-EXT-1. A message is in All Mail once, with its labels, and each label is also a folder. So All Mail is
 * read, with the labels as places, and beside it the two folders that are not in it: Spam and Trash.
 */
import type { SourcePlace, SourceRole } from '../import-source.ts'

/** System labels that are folders. They stand in each answer in this spelling, whatever the language of the account. */
const FOLDERS: { readonly [label: string]: SourcePlace } = {
  '\\inbox': place('Inbox', 'inbox'),
  '\\sent': place('Sent', 'sent'),
  '\\draft': place('Drafts', 'drafts'),
  '\\drafts': place('Drafts', 'drafts'),
  '\\spam': place('Spam', 'junk'),
  '\\junk': place('Spam', 'junk'),
  '\\trash': place('Trash', 'trash'),
}

/** System labels that are keywords. The keyword $important is that of RFC 8457. */
const KEYWORDS: { readonly [label: string]: string } = { '\\starred': '$flagged', '\\important': '$important' }

/** A message that has no label but is in All Mail was archived. */
const ARCHIVED = place('Archive', 'archive')

function place(name: string, role: SourceRole): SourcePlace {
  return { path: [name], role }
}

export interface LabelMeaning {
  readonly places: readonly SourcePlace[]
  readonly keywords: readonly string[]
}

/** @param folder the folder that is read, which X-GM-LABELS leaves out; null: All Mail, which is no place */
export function meaningOfLabels(labels: readonly string[], folder: SourcePlace | null): LabelMeaning {
  const places = folder ? [folder] : []
  const keywords: string[] = []
  for (const label of labels) {
    const system = label.toLowerCase()
    const keyword = KEYWORDS[system]
    if (keyword !== undefined) keywords.push(keyword)
    else if (FOLDERS[system]) places.push(FOLDERS[system])
    else if (!label.startsWith('\\')) {
      const path = label.split('/').filter((name) => name !== '')
      if (path.length > 0) places.push({ path, role: null })
    }
  }
  return { places: places.length > 0 ? places : [ARCHIVED], keywords }
}

/** Invalid mailboxes: RFC 8621 2 and 2.5. */

import type { MailboxTable } from '../../../storage/schema/tables.ts'
import { nameKey } from '../../message/mailbox-name.ts'
import { alreadyExists, invalidProperties, type SetError } from '../../protocol/errors.ts'
import type { MethodContext } from '../../type/context.ts'
import type { PatchedOf } from '../../type/derived.ts'
import type { Limits } from '../../type/limits.ts'
import { Mailbox } from './mailbox.type.ts'

/**
 * RFC 5198 2: no control characters or line ends, no byte order mark at the start, no unassigned characters. The caller normalises to
 * NFC.
 */
const NOT_NET_UNICODE = /[\p{Cc}\p{Cn}\p{Cs}\u2028\u2029]|^\ufeff/u

/**
 * RFC 8621 2: names are unique among siblings, roles in the account; no mailbox is its own ancestor.
 * @param rows after the change; for the mailbox `own`, the given properties count
 */
export function mailboxFault(
  method: MethodContext,
  rows: readonly MailboxTable[],
  { name, parentId, role }: Pick<PatchedOf<typeof Mailbox>, 'name' | 'parentId' | 'role'>,
  own: number | null,
): SetError | null {
  const { limits } = method.services
  const ofName = nameFault(limits, name)
  if (ofName) return ofName
  const parent = parentId === null ? 0 : method.number(Mailbox, parentId)
  const byId = new Map(rows.map((row) => [row.id, row]))
  if (parent === null || (parent !== 0 && !byId.has(parent)))
    return invalidProperties(['parentId'], 'There is no such mailbox.')
  let depth = 1
  for (let above = parent; above !== 0; above = byId.get(above)?.parent ?? 0) {
    // Several mailboxes that move together may form a loop without this one.
    if (above === own || depth > rows.length)
      return invalidProperties(['parentId'], 'A mailbox cannot be below itself.')
    depth++
  }
  if (depth + heightOf(rows, own) > limits.maxMailboxDepth)
    return invalidProperties(['parentId'], `Mailboxes nest at most ${limits.maxMailboxDepth} deep.`)
  const key = nameKey(name)
  const sibling = rows.find((row) => row.parent === parent && row.name_key === key && row.id !== own)
  if (sibling) return alreadyExists(method.id(Mailbox, sibling.id), 'A mailbox of that name is there already.')
  if (role !== null && rows.some((row) => row.role === role && row.id !== own))
    return invalidProperties(['role'], 'Another mailbox has that role.')
  return null
}

/** RFC 8621 2, RFC 5198 2: checks a name in Normalization Form C. */
export function nameFault(limits: Pick<Limits, 'maxSizeMailboxName'>, name: string): SetError | null {
  if (Buffer.byteLength(name) <= limits.maxSizeMailboxName && !NOT_NET_UNICODE.test(name) && name.trim() !== '')
    return null
  return invalidProperties(
    ['name'],
    `A name has 1 to ${limits.maxSizeMailboxName} octets and no control or unassigned characters.`,
  )
}

/** An account must have an inbox for incoming mail. */
export function inboxFault(rows: readonly MailboxTable[]): SetError | null {
  return rows.some(({ role }) => role === 'inbox')
    ? null
    : invalidProperties(['role'], 'The account needs an inbox: give another mailbox its role in the same call.')
}

/** Levels below a mailbox. */
function heightOf(rows: readonly MailboxTable[], id: number | null): number {
  if (id === null) return 0
  const children = rows.filter((row) => row.parent === id)
  return children.length === 0 ? 0 : 1 + Math.max(...children.map((child) => heightOf(rows, child.id)))
}

/** Invalid mailboxes: RFC 8621 2 and 2.5. */

import type { MailboxTable } from '../../../storage/schema/tables.ts'
import { alreadyExists, invalidProperties, type SetError } from '../../protocol/errors.ts'
import type { MethodContext } from '../../type/context.ts'
import type { Limits } from '../../type/limits.ts'
import { Mailbox } from './mailbox.type.ts'
import type { MailboxTree } from './mailbox-tree.ts'

/**
 * RFC 5198 2: no control characters or line ends, no byte order mark at the start, no unassigned characters. The caller normalises to
 * NFC.
 */
const NOT_NET_UNICODE = /[\p{Cc}\p{Cn}\p{Cs}\u2028\u2029]|^\ufeff/u

/** RFC 8621 2: names are unique among siblings, roles in the account; no mailbox is its own ancestor. @param row as it is in the tree */
export function mailboxFault(method: MethodContext, tree: MailboxTree, row: MailboxTable): SetError | null {
  const { limits } = method.services
  const { id, name } = row
  const fault = nameFault(limits, name) ?? placeFault(tree, row, limits.maxMailboxDepth)
  if (fault) return fault
  const namesake = tree.namesakeOf(row)
  if (namesake !== null) return alreadyExists(method.id(Mailbox, namesake), 'A mailbox of that name is there already.')
  if (tree.rivalOf(row) !== null) return invalidProperties(['role'], 'Another mailbox has that role.')
  // An account must have an inbox for incoming mail.
  if (tree.before(id)?.role === 'inbox' && tree.withRole('inbox') === null)
    return invalidProperties(['role'], 'The account needs an inbox: give another mailbox its role in the same call.')
  return null
}

function placeFault(tree: MailboxTree, { id, parent }: MailboxTable, maxDepth: number): SetError | null {
  let depth = 1
  for (let above = parent; above !== 0; above = tree.get(above)!.parent) {
    if (!tree.get(above)) return invalidProperties(['parentId'], 'There is no such mailbox.')
    // Several mailboxes that move together may form a loop without this one.
    if (above === id || depth > tree.size) return invalidProperties(['parentId'], 'A mailbox cannot be below itself.')
    depth++
  }
  return depth + tree.heightOf(id) > maxDepth
    ? invalidProperties(['parentId'], `Mailboxes nest at most ${maxDepth} deep.`)
    : null
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

import type { MailboxTable } from '../../../storage/schema/tables.ts'
import type { MethodContext } from '../../type/context.ts'
import type { ObjectOf } from '../../type/derived.ts'
import { Email } from '../email/email.type.ts'
import { Mailbox } from './mailbox.type.ts'

/** RFC 8621 2 (MailboxRights): a user of the account has all rights that the credential's scopes allow, but cannot delete the inbox. */
export function rightsIn(method: MethodContext, row: MailboxTable): ObjectOf<typeof Mailbox>['myRights'] {
  const { scopes } = method.request.principal
  const may = (scope: string) => scopes === null || scopes.includes(scope)
  const [reads, writes, manages] = [may(Email.scopes.read), may(Email.scopes.write), may(Mailbox.scopes.write)]
  return {
    mayReadItems: reads,
    mayAddItems: writes,
    mayRemoveItems: writes,
    maySetSeen: writes,
    maySetKeywords: writes,
    mayCreateChild: manages,
    mayRename: manages,
    mayDelete: manages && row.role !== 'inbox',
    maySubmit: writes,
  }
}

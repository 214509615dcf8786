import { get } from './jmap-calls.ts'
import type { JmapClient } from './jmap-client.ts'
import type { MailboxObject } from './jmap-types.ts'

export type FolderRole = Pick<MailboxObject, 'id' | 'role'>

/** A mailbox's folders with their roles. */
export async function readFolders(jmap: JmapClient, accountId: string): Promise<readonly FolderRole[]> {
  const { folders } = await jmap.call({ folders: get('Mailbox', { accountId, ids: null, properties: ['id', 'role'] }) })
  return folders.list
}

/** Whether it holds what nobody wants to see: lists leave it out, and only from there a message is deleted for good (D10). */
export function isRejected({ role }: FolderRole): boolean {
  return role === 'junk' || role === 'trash'
}

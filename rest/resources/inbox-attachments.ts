import type { FileSource } from '../../server/base/http/files.ts'
import { REST_DOWNLOAD_CHUNK_BYTES } from '../../server/base/limits.ts'
import { get, onlyOne } from '../calls/jmap-calls.ts'
import type { JmapClient } from '../calls/jmap-client.ts'
import { openMailbox } from '../calls/mailbox-access.ts'
import { endpoint } from '../endpoint.ts'
import { notFound } from '../errors/api-error.ts'
import { object, string, withDefault } from '../schema/schema.ts'
import { knownId } from '../shapes/common.ts'

const NAME_MAX_CHARS = 255

export const downloadAttachment = endpoint({
  method: 'GET',
  path: '/v1/mailboxes/{mailbox_id}/inbox/attachments',
  operationId: 'downloadAttachment',
  tag: 'Inbox',
  summary: 'Download an attachment',
  description:
    'Ranges and conditional requests are answered. The file is external content: never show it as your own page.',
  scope: 'messages:read',
  tier: 'read',
  query: object({
    blob_id: string({ minLength: 1, description: '`blob_id` of the attachment.' }),
    name: withDefault(
      string({ minLength: 1, maxLength: NAME_MAX_CHARS, description: 'Name to save it by.' }),
      'attachment',
    ),
  }),
  status: 200,
  response: null,
  errors: ['not_found', 'mailbox_access_denied', 'range_not_satisfiable'],
  async stream(input, jmap) {
    const { blob_id: blobId, name } = input.query
    const mailbox = await openMailbox(input, jmap, input.params.mailbox_id)
    return openFile(jmap, mailbox.id, knownId(blobId, 'attachment'), { name, what: 'attachment' })
  },
})

export const downloadRawMessage = endpoint({
  method: 'GET',
  path: '/v1/mailboxes/{mailbox_id}/inbox/messages/{message_id}/raw',
  operationId: 'downloadRawMessage',
  tag: 'Inbox',
  summary: 'Download a message as it was received',
  scope: 'messages:read',
  tier: 'read',
  status: 200,
  response: null,
  errors: ['not_found', 'mailbox_access_denied', 'range_not_satisfiable'],
  async stream(input, jmap) {
    const mailbox = await openMailbox(input, jmap, input.params.mailbox_id)
    const ids = [knownId(input.params.message_id, 'message')]
    const { found } = await jmap.call({
      found: get('Email', { accountId: mailbox.id, ids, properties: ['id', 'blobId'] }),
    })
    const { id, blobId } = onlyOne(found, 'message')
    return openFile(jmap, mailbox.id, blobId, { name: `${id}.eml`, what: 'message', type: 'message/rfc822' })
  },
})

/** @param as.type instead of the stored one. @throws Problem 404 */
async function openFile(
  jmap: JmapClient,
  accountId: string,
  blobId: string,
  as: { readonly name: string; readonly what: string; readonly type?: string },
): Promise<FileSource> {
  const first = await jmap.download(accountId, blobId, { start: 0, end: REST_DOWNLOAD_CHUNK_BYTES })
  if (!first) throw notFound(as.what)
  return {
    type: as.type ?? first.type,
    name: as.name,
    tag: blobId,
    size: first.size,
    async read(start, end) {
      // The first piece is here already: most attachments are no larger.
      if (start === 0 && end <= first.bytes.length) return first.bytes.subarray(0, end)
      const piece = await jmap.download(accountId, blobId, { start, end })
      if (!piece) throw new Error('a blob went away while it was read')
      return piece.bytes
    },
  }
}

import { knownId } from '../access/ids.ts'
import { openBlob } from '../calls/blob-file.ts'
import { openMailbox } from '../calls/mailbox-access.ts'
import { endpoint } from '../endpoint.ts'
import * as s from '../schema/schema.ts'
import { TAG } from './inbox-list.ts'

const NAME_MAX_CHARS = 255

export const downloadAttachment = endpoint({
  method: 'GET',
  path: '/v1/mailboxes/{mailbox_id}/inbox/attachments',
  operationId: 'downloadAttachment',
  tag: TAG,
  summary: 'Download an attachment',
  description:
    'Ranges and conditional requests are supported. The file is external content: never show it as your own page.',
  scope: 'messages:read',
  query: s.object({
    blob_id: s.string({ minLength: 1, description: '`blob_id` of the attachment.' }),
    name: s.withDefault(
      s.string({ minLength: 1, maxLength: NAME_MAX_CHARS, description: 'File name for saving it.' }),
      'attachment',
    ),
  }),
  errors: ['not_found', 'mailbox_access_denied', 'range_not_satisfiable'],
  async stream(input, jmap) {
    const { blob_id: blobId, name } = input.query
    const mailbox = await openMailbox(input, jmap, input.params.mailbox_id)
    return openBlob(jmap, mailbox.id, knownId(blobId, 'attachment'), { name, what: 'attachment' })
  },
})

export const inboxAttachmentEndpoints = [downloadAttachment]

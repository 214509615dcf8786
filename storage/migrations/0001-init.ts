import { sql } from 'kysely'
import type { Migration } from './index.ts'

/** The first schema: accounts, change log, directory, blobs, mail, queue. */
export const init: Migration = ({ schema, column, run }) => {
  const { int, text, bytes } = column
  const table = (name: string) => schema.createTable(name)

  run(
    table('installation')
      .addColumn('name', text, (c) => c.primaryKey())
      .addColumn('value', text, (c) => c.notNull()),
  )
  run(
    table('account')
      .addColumn('id', int, (c) => c.primaryKey())
      .addColumn('kind', text, (c) => c.notNull())
      .addColumn('organization', int, (c) => c.notNull())
      .addColumn('name', text, (c) => c.notNull())
      .addColumn('seq', int, (c) => c.notNull())
      .addColumn('next_object', int, (c) => c.notNull())
      .addColumn('used_bytes', int, (c) => c.notNull())
      .addColumn('created_at', int, (c) => c.notNull())
      .addColumn('suspended_at', int)
      .addColumn('deleted_at', int),
  )
  run(schema.createIndex('account_organization').on('account').columns(['organization', 'id']))
  run(
    table('change')
      .addColumn('account', int, (c) => c.notNull())
      .addColumn('type', text, (c) => c.notNull())
      .addColumn('seq', int, (c) => c.notNull())
      .addColumn('object', int, (c) => c.notNull())
      .addColumn('kind', text, (c) => c.notNull())
      .addColumn('props', text)
      .addColumn('at', int, (c) => c.notNull())
      .addPrimaryKeyConstraint('change_pk', ['account', 'type', 'seq']),
    { clustered: true },
  )
  run(
    table('change_floor')
      .addColumn('account', int, (c) => c.notNull())
      .addColumn('type', text, (c) => c.notNull())
      .addColumn('floor', int, (c) => c.notNull())
      .addPrimaryKeyConstraint('change_floor_pk', ['account', 'type']),
    { clustered: true },
  )
  run(
    table('object')
      .addColumn('account', int, (c) => c.notNull())
      .addColumn('type', text, (c) => c.notNull())
      .addColumn('id', int, (c) => c.notNull())
      .addColumn('data', text, (c) => c.notNull())
      .addColumn('created_at', int, (c) => c.notNull())
      .addPrimaryKeyConstraint('object_pk', ['account', 'type', 'id']),
    { clustered: true },
  )
  run(
    table('address')
      .addColumn('address', text, (c) => c.primaryKey())
      .addColumn('account', int, (c) => c.notNull())
      .addColumn('kind', text, (c) => c.notNull())
      .addColumn('domain', text, (c) => c.notNull()),
  )
  run(schema.createIndex('address_account').on('address').column('account'))
  run(
    table('domain_name')
      .addColumn('name', text, (c) => c.notNull())
      .addColumn('account', int, (c) => c.notNull())
      .addColumn('object', int, (c) => c.notNull())
      .addColumn('status', text, (c) => c.notNull())
      .addColumn('catch_all', int)
      .addPrimaryKeyConstraint('domain_name_pk', ['name', 'account']),
  )
  run(
    table('credential')
      .addColumn('hash', text, (c) => c.primaryKey())
      .addColumn('account', int, (c) => c.notNull())
      .addColumn('object', int, (c) => c.notNull())
      .addColumn('verifier', text)
      .addColumn('created_at', int, (c) => c.notNull()),
  )
  run(
    table('blob')
      .addColumn('hash', bytes, (c) => c.primaryKey())
      .addColumn('size', int, (c) => c.notNull())
      .addColumn('data', bytes)
      .addColumn('location', text)
      .addColumn('created_at', int, (c) => c.notNull()),
  )
  run(
    table('account_blob')
      .addColumn('account', int, (c) => c.notNull())
      .addColumn('id', int, (c) => c.notNull())
      .addColumn('hash', bytes, (c) => c.notNull())
      .addColumn('size', int, (c) => c.notNull())
      .addColumn('type', text, (c) => c.notNull())
      .addColumn('uploader', text)
      .addColumn('uploaded_at', int, (c) => c.notNull())
      .addPrimaryKeyConstraint('account_blob_pk', ['account', 'id']),
    { clustered: true },
  )
  run(schema.createIndex('account_blob_hash').on('account_blob').columns(['hash', 'account']).unique())
  run(
    table('mailbox')
      .addColumn('account', int, (c) => c.notNull())
      .addColumn('id', int, (c) => c.notNull())
      .addColumn('name', text, (c) => c.notNull())
      .addColumn('name_key', text, (c) => c.notNull())
      .addColumn('parent', int, (c) => c.notNull())
      .addColumn('role', text)
      .addColumn('sort_order', int, (c) => c.notNull())
      .addColumn('is_subscribed', int, (c) => c.notNull())
      .addColumn('total_emails', int, (c) => c.notNull())
      .addColumn('unread_emails', int, (c) => c.notNull())
      .addColumn('total_threads', int, (c) => c.notNull())
      .addColumn('unread_threads', int, (c) => c.notNull())
      .addColumn('own_unread_threads', int, (c) => c.notNull())
      .addColumn('created_at', int, (c) => c.notNull())
      .addPrimaryKeyConstraint('mailbox_pk', ['account', 'id']),
    { clustered: true },
  )
  run(schema.createIndex('mailbox_sibling').on('mailbox').columns(['account', 'parent', 'name_key']).unique())
  run(
    table('thread')
      .addColumn('account', int, (c) => c.notNull())
      .addColumn('id', int, (c) => c.notNull())
      .addColumn('total', int, (c) => c.notNull())
      .addColumn('unread_elsewhere', int, (c) => c.notNull())
      .addColumn('unread_in_trash', int, (c) => c.notNull())
      .addColumn('created_at', int, (c) => c.notNull())
      .addColumn('latest_at', int, (c) => c.notNull())
      .addColumn('latest_email', int, (c) => c.notNull())
      .addPrimaryKeyConstraint('thread_pk', ['account', 'id']),
    { clustered: true },
  )
  run(schema.createIndex('thread_latest').on('thread').columns(['account', 'latest_at', 'id']))
  run(
    table('thread_mailbox')
      .addColumn('account', int, (c) => c.notNull())
      .addColumn('thread', int, (c) => c.notNull())
      .addColumn('mailbox', int, (c) => c.notNull())
      .addColumn('total', int, (c) => c.notNull())
      .addColumn('unread', int, (c) => c.notNull())
      .addPrimaryKeyConstraint('thread_mailbox_pk', ['account', 'thread', 'mailbox']),
    { clustered: true },
  )
  run(
    table('thread_ref')
      .addColumn('account', int, (c) => c.notNull())
      .addColumn('ref', text, (c) => c.notNull())
      .addColumn('thread', int, (c) => c.notNull())
      .addPrimaryKeyConstraint('thread_ref_pk', ['account', 'ref']),
    { clustered: true },
  )
  run(schema.createIndex('thread_ref_thread').on('thread_ref').columns(['account', 'thread']))
  run(
    table('email')
      .addColumn('account', int, (c) => c.notNull())
      .addColumn('id', int, (c) => c.notNull())
      .addColumn('thread', int, (c) => c.notNull())
      .addColumn('blob', int, (c) => c.notNull())
      .addColumn('size', int, (c) => c.notNull())
      .addColumn('received_at', int, (c) => c.notNull())
      .addColumn('sent_at', int)
      .addColumn('has_attachment', int, (c) => c.notNull())
      .addColumn('unread', int, (c) => c.notNull())
      .addColumn('keywords', text, (c) => c.notNull())
      .addColumn('mailboxes', text, (c) => c.notNull())
      .addColumn('from_sort', text, (c) => c.notNull())
      .addColumn('to_sort', text, (c) => c.notNull())
      .addColumn('subject_sort', text, (c) => c.notNull())
      .addColumn('packed', text, (c) => c.notNull())
      .addColumn('structure', text, (c) => c.notNull())
      .addColumn('source', text, (c) => c.notNull())
      .addColumn('created_at', int, (c) => c.notNull())
      .addPrimaryKeyConstraint('email_pk', ['account', 'id']),
  )
  run(schema.createIndex('email_received').on('email').columns(['account', 'received_at', 'id', 'thread']))
  run(schema.createIndex('email_thread').on('email').columns(['account', 'thread', 'received_at', 'id']))
  run(schema.createIndex('email_blob').on('email').columns(['account', 'blob']))
  run(
    table('email_unindexed')
      .addColumn('account', int, (c) => c.notNull())
      .addColumn('email', int, (c) => c.notNull())
      .addColumn('blob', int, (c) => c.notNull())
      .addPrimaryKeyConstraint('email_unindexed_pk', ['account', 'email']),
    { clustered: true },
  )
  run(
    table('email_mailbox')
      .addColumn('account', int, (c) => c.notNull())
      .addColumn('mailbox', int, (c) => c.notNull())
      .addColumn('received_at', int, (c) => c.notNull())
      .addColumn('email', int, (c) => c.notNull())
      .addPrimaryKeyConstraint('email_mailbox_pk', ['account', 'mailbox', 'received_at', 'email']),
    { clustered: true },
  )
  run(
    table('email_keyword')
      .addColumn('account', int, (c) => c.notNull())
      .addColumn('keyword', text, (c) => c.notNull())
      .addColumn('received_at', int, (c) => c.notNull())
      .addColumn('email', int, (c) => c.notNull())
      .addPrimaryKeyConstraint('email_keyword_pk', ['account', 'keyword', 'received_at', 'email']),
    { clustered: true },
  )
  run(
    table('submission')
      .addColumn('account', int, (c) => c.notNull())
      .addColumn('id', int, (c) => c.notNull())
      .addColumn('identity', int, (c) => c.notNull())
      .addColumn('email', int, (c) => c.notNull())
      .addColumn('thread', int, (c) => c.notNull())
      .addColumn('blob', int, (c) => c.notNull())
      .addColumn('mail_from', text, (c) => c.notNull())
      .addColumn('parameters', text, (c) => c.notNull())
      .addColumn('send_at', int, (c) => c.notNull())
      .addColumn('undo_status', text, (c) => c.notNull())
      .addColumn('due_at', int)
      .addColumn('attempts', int, (c) => c.notNull())
      .addColumn('lease', text)
      .addColumn('lease_until', int, (c) => c.notNull())
      .addColumn('created_at', int, (c) => c.notNull())
      .addPrimaryKeyConstraint('submission_pk', ['account', 'id']),
    { clustered: true },
  )
  run(schema.createIndex('submission_due').on('submission').columns(['due_at', 'account', 'id']))
  run(
    schema
      .createIndex('submission_lease')
      .on('submission')
      .column('lease_until')
      .where(sql.ref('lease'), 'is not', sql.lit(null)),
  )
  run(schema.createIndex('submission_email').on('submission').columns(['account', 'email']))
  run(
    table('submission_recipient')
      .addColumn('account', int, (c) => c.notNull())
      .addColumn('submission', int, (c) => c.notNull())
      .addColumn('position', int, (c) => c.notNull())
      .addColumn('address', text, (c) => c.notNull())
      .addColumn('parameters', text, (c) => c.notNull())
      .addColumn('status', text, (c) => c.notNull())
      .addColumn('smtp_reply', text)
      .addColumn('host', text)
      .addColumn('tried_at', int)
      .addPrimaryKeyConstraint('submission_recipient_pk', ['account', 'submission', 'position']),
    { clustered: true },
  )
}

import type { Migration } from './index.ts'

/** A message id may lead to several threads: each keeps those that its own emails name, also when another thread ends. */
export const threadRefs: Migration = ({ schema, column, run, raw }) => {
  const { int, text } = column
  run(schema.alterTable('thread_ref').renameTo('thread_ref_before'))
  run(
    schema
      .createTable('thread_ref')
      .addColumn('account', int, (c) => c.notNull())
      .addColumn('ref', text, (c) => c.notNull())
      .addColumn('thread', int, (c) => c.notNull())
      .addPrimaryKeyConstraint('thread_refs_pk', ['account', 'ref', 'thread']),
    { clustered: true },
  )
  raw('insert into thread_ref (account, ref, thread) select account, ref, thread from thread_ref_before')
  run(schema.dropTable('thread_ref_before'))
  run(schema.createIndex('thread_ref_thread').on('thread_ref').columns(['account', 'thread']))
}

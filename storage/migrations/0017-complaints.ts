import type { Migration } from './index.ts'

/** Which recipients complained about what they were sent, and whose bounce was counted. */
export const complaints: Migration = ({ schema, column, run }) => {
  for (const name of ['complained', 'bounced'])
    run(schema.alterTable('submission_recipient').addColumn(name, column.int, (c) => c.notNull().defaultTo(0)))
}

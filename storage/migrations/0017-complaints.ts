import type { Migration } from './index.ts'

/** Which recipients complained about what they were sent. */
export const complaints: Migration = ({ schema, column, run }) => {
  run(schema.alterTable('submission_recipient').addColumn('complained', column.int, (c) => c.notNull().defaultTo(0)))
}

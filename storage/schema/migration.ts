import { int, table, text } from './table.ts'

/** Migrations that have run. */
export const migration = table({
  name: 'migration',
  key: ['number'],
  owner: null,
  columns: { number: int, name: text },
})

import { table, text } from './table.ts'

/** Facts about the installation by name: keys that are made once, counters, settings of the last run. */
export const installation = table({
  name: 'installation',
  key: ['name'],
  owner: null,
  columns: { name: text, value: text },
})

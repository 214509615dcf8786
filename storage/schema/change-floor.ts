import { int, table, text } from './table.ts'

/** Sequence number up to which the change log of a type was trimmed. */
export const changeFloor = table({
  name: 'change_floor',
  key: ['account', 'type'],
  owner: 'account',
  columns: { account: int, type: text, floor: int },
})

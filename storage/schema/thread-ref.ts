import { int, table, text } from './table.ts'

/** Hashes of message ids and base subjects, and the threads that they lead to. */
export const threadRef = table({
  name: 'thread_ref',
  key: ['account', 'ref', 'thread'],
  owner: 'account',
  partOf: 'thread',
  columns: { account: int, ref: text, thread: int },
})

import { int, nullable, type RowOf, table, text } from './table.ts'

/** Drafts that inbox rules request from a language model: the queue of these requests (decision D11). */
export const draftRequest = table({
  name: 'draft_request',
  key: ['account', 'id'],
  owner: 'account',
  numbers: [{ column: 'id', of: 'account' }],
  columns: {
    account: int,
    id: int,
    email: int,
    /** JSON of the action and its rule. */
    data: text,
    due_at: int,
    attempts: int,
    lease: nullable(text),
    lease_until: int,
    created_at: int,
  },
})
export type DraftRequestTable = RowOf<typeof draftRequest>

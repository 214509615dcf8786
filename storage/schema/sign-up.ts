import { int, nullable, type RowOf, table, text } from './table.ts'

/** Sign-ups on public pages that wait for the confirmation by mail (promise N4). They are no subscribers and are counted nowhere. */
export const signUp = table({
  name: 'sign_up',
  key: ['account', 'audience', 'address'],
  owner: 'account',
  numbers: [{ column: 'audience', of: 'account' }],
  columns: {
    /** The organization. */
    account: int,
    audience: int,
    /** Normalized. */
    address: text,
    /** Random part of the signed link. */
    nonce: text,
    display_name: nullable(text),
    /** When the last mail was sent. */
    mailed_at: int,
    expires_at: int,
  },
})
export type SignUpTable = RowOf<typeof signUp>

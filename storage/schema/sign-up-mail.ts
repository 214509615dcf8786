import { int, table, text } from './table.ts'

/** When an address got mails that ask to confirm a sign-up, of all organizations (promise N4). */
export const signUpMail = table({
  name: 'sign_up_mail',
  key: ['address'],
  owner: null,
  columns: {
    /** Normalized. */
    address: text,
    /** JSON list of times. */
    mailed: text,
    /** When the last of them does not count any more. */
    kept_until: int,
  },
})

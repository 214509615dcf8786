import { int, type RowOf, table, text } from './table.ts'

/** What the messages of a newsletter have in common, from its start until all are sent. Each is made from it when it is handed over. */
export const newsletterTemplate = table({
  name: 'newsletter_template',
  key: ['account', 'newsletter'],
  owner: 'account',
  numbers: [{ column: 'newsletter', of: 'account' }],
  partOf: 'newsletter',
  columns: {
    account: int,
    newsletter: int,
    /** JSON of a MessageTemplate. */
    template: text,
  },
})
export type NewsletterTemplateTable = RowOf<typeof newsletterTemplate>

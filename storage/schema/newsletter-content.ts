import { int, type RowOf, table, text } from './table.ts'

/** What newsletters say. */
export const newsletterContent = table({
  name: 'newsletter_content',
  key: ['account', 'newsletter'],
  owner: 'account',
  numbers: [{ column: 'newsletter', of: 'account' }],
  partOf: 'newsletter',
  columns: {
    account: int,
    newsletter: int,
    /** The random parts of the URLs of assets in the content, separated by spaces. It comes first: long content is not read along. */
    assets: text,
    /** Octets of `content`. */
    octets: int,
    /** JSON of the blocks, of what was derived from them, and of the text that the author wrote. */
    content: text,
  },
})
export type NewsletterContentTable = RowOf<typeof newsletterContent>

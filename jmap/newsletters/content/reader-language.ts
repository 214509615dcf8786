/**
 * Languages in which this program writes to readers of newsletters: footers, confirmations, and the pages behind their links
 * (server/pages/newsletter-words). A further one is a line here and a table where the types ask for it.
 */
export const READER_LANGUAGES = ['en', 'de', 'fr', 'es'] as const
export type ReaderLanguage = (typeof READER_LANGUAGES)[number]

/** @param tag BCP 47. @returns English if there are no words in its language */
export function readerLanguage(tag: string): ReaderLanguage {
  const primary = tag.toLowerCase().split('-', 1)[0]
  return READER_LANGUAGES.find((one) => one === primary) ?? 'en'
}

/** The languages of the pages that readers of newsletters see: one line for each. */
import { READER_LANGUAGES, type ReaderLanguage } from '../../../jmap/newsletters/content/reader-language.ts'
import { preferredLanguage } from '../accept-language.ts'
import { GERMAN } from './de.ts'
import { ENGLISH } from './en.ts'
import { SPANISH } from './es.ts'
import { FRENCH } from './fr.ts'
import type { NewsletterWords } from './words.ts'

export const NEWSLETTER_WORDS: { readonly [language in ReaderLanguage]: NewsletterWords } = {
  en: ENGLISH,
  de: GERMAN,
  fr: FRENCH,
  es: SPANISH,
}

/** English for a client that likes none of them. */
export function newsletterWords(acceptLanguage: string | undefined): NewsletterWords {
  return NEWSLETTER_WORDS[preferredLanguage(acceptLanguage, READER_LANGUAGES)?.language ?? 'en']
}

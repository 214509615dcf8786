/** The languages of the booking pages, and which one a client gets. */
import { preferredLanguage } from '../accept-language.ts'
import type { Words } from './words.ts'
import { GERMAN } from './words-de.ts'
import { ENGLISH } from './words-en.ts'

export interface Language {
  readonly words: Words
  /** A language tag for Intl, with the client's region if it named one. */
  readonly locale: string
}

const LANGUAGES: readonly Words[] = [ENGLISH, GERMAN]

/** The language that the client likes best of those that there are; English if it likes none. */
export function languageFor(acceptLanguage = ''): Language {
  const preferred = preferredLanguage(
    acceptLanguage,
    LANGUAGES.map(({ language }) => language),
  )
  const words = LANGUAGES.find(({ language }) => language === preferred?.language)
  return preferred && words ? { words, locale: localeOf(preferred.tag, words) } : { words: ENGLISH, locale: 'en' }
}

function localeOf(tag: string, { language }: Words): string {
  try {
    return Intl.getCanonicalLocales(tag)[0] ?? language
  } catch {
    return language
  }
}

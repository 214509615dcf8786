/** The languages of the booking pages, and which one a client gets. */
import type { Words } from './words.ts'
import { GERMAN } from './words-de.ts'
import { ENGLISH } from './words-en.ts'

export interface Language {
  readonly words: Words
  /** A language tag for Intl, with the client's region if it named one. */
  readonly locale: string
}

const LANGUAGES: readonly Words[] = [ENGLISH, GERMAN]

/** RFC 9110 12.5.4: the language that the client likes best of those that there are; English if it likes none. */
export function languageFor(acceptLanguage = ''): Language {
  let best: Language & { readonly weight: number } = { words: ENGLISH, locale: 'en', weight: 0 }
  for (const item of acceptLanguage.slice(0, 1_000).split(',')) {
    const [, tag = '', weightText = '1'] =
      /^\s*([a-z0-9*-]{1,35})\s*(?:;\s*q=([01](?:\.\d{0,3})?))?\s*$/i.exec(item) ?? []
    const words = LANGUAGES.find(({ language }) => language === tag.toLowerCase().split('-')[0])
    const weight = Number(weightText)
    if (words && weight > best.weight) best = { words, locale: localeOf(tag, words), weight }
  }
  return best
}

function localeOf(tag: string, { language }: Words): string {
  try {
    return Intl.getCanonicalLocales(tag)[0] ?? language
  } catch {
    return language
  }
}

import { SEARCH_MAX_WORDS } from '../../../server/base/limits.ts'
import { type Phrase, parseSearch } from '../../../storage/search/tokens.ts'
import { MethodError } from '../../protocol/errors.ts'

/** The phrases in a filter's text. @throws MethodError unsupportedFilter */
export function phrasesOf(search: string): Phrase[] {
  const phrases = parseSearch(search)
  const words = phrases.reduce((sum, { tokens }) => sum + tokens.length, 0)
  if (words > SEARCH_MAX_WORDS)
    throw new MethodError('unsupportedFilter', `A search has at most ${SEARCH_MAX_WORDS} words.`)
  return phrases
}

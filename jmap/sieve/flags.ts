/** RFC 5232 flags: lists in strings, compared without case; and the JMAP keywords for them. */
import { SIEVE_FLAGS_MAX } from '../../server/base/sieve-limits.ts'
import { isKeyword, normaliseKeywords } from '../message/keywords.ts'

/** RFC 8621 4.1.1: the system flags of IMAP as keywords. \Deleted and \Recent have none. */
const KEYWORD_OF_FLAG: ReadonlyMap<string, string> = new Map([
  ['\\seen', '$seen'],
  ['\\flagged', '$flagged'],
  ['\\answered', '$answered'],
  ['\\draft', '$draft'],
])

/** RFC 5232 2: a string holds flags separated by spaces. Each flag counts once; text that is not a flag is ignored. */
export function splitFlags(lists: readonly string[]): string[] {
  const flags = new Map<string, string>()
  for (const list of lists)
    for (const flag of list.split(/[ \t\r\n]+/)) {
      const key = flag.toLowerCase()
      if (flag !== '' && !flags.has(key) && flags.size < SIEVE_FLAGS_MAX && isFlag(flag)) flags.set(key, flag)
    }
  return [...flags.values()]
}

function isFlag(flag: string): boolean {
  return flag.startsWith('\\') ? /^\\[A-Za-z]{1,50}$/.test(flag) : isKeyword(flag)
}

export function withoutFlags(flags: readonly string[], gone: readonly string[]): string[] {
  const keys = new Set(gone.map((flag) => flag.toLowerCase()))
  return flags.filter((flag) => !keys.has(flag.toLowerCase()))
}

/** RFC 5232 5: flags that cannot be stored are ignored. */
export function keywordsOf(flags: readonly string[]): string[] {
  return normaliseKeywords(
    flags.flatMap((flag) => {
      if (!flag.startsWith('\\')) return [flag]
      const keyword = KEYWORD_OF_FLAG.get(flag.toLowerCase())
      return keyword === undefined ? [] : [keyword]
    }),
  )
}

/** COMPARATOR and MATCH-TYPE arguments (RFC 5228 2.7; RFC 5231; draft-ietf-sieve-regex): compare values with keys. */
import { SIEVE_MATCH_VARIABLES_MAX, SIEVE_REGEX_COMPILE_STEPS } from '../../server/base/sieve-limits.ts'
import type { Bound } from './bound.ts'
import { type Comparator, findComparator } from './comparators.ts'
import { compileGlob, type Glob, globCost, matchGlob } from './glob.ts'
import { compileRegex, type Regex } from './regex.ts'
import { type Run, SieveRunError } from './run.ts'
import type { TagSpec } from './signature.ts'
import type { Texts } from './text.ts'

export const MATCH_TAGS: Readonly<Record<string, TagSpec>> = {
  comparator: { value: 'string' },
  is: { group: 'match' },
  contains: { group: 'match' },
  matches: { group: 'match' },
  regex: { group: 'match', requires: 'regex' },
  count: { group: 'match', value: 'string', requires: 'relational' },
  value: { group: 'match', value: 'string', requires: 'relational' },
}

/** Whether any value matches any key; for :count, whether the number of values does. */
export type Match = (run: Run, values: readonly string[]) => boolean

/** Compares one value with one key. */
type Compare<K> = (run: Run, value: Folded, key: K) => boolean

interface Folded {
  readonly text: string
  readonly folded: string
}

const RELATIONS: Readonly<Record<string, (order: number) => boolean>> = {
  gt: (order) => order > 0,
  ge: (order) => order >= 0,
  lt: (order) => order < 0,
  le: (order) => order <= 0,
  eq: (order) => order === 0,
  ne: (order) => order !== 0,
}

/**
 * @param setsVariables whether a wildcard match sets `${1}` ...: in all tests except body (RFC 5173 6)
 * @throws SieveSyntaxError
 */
export function compileMatch(bound: Bound, keys: Texts, setsVariables = true): Match {
  const keeps = setsVariables && bound.scope.requires.has('variables')
  const comparator = comparatorOf(bound)
  const kind = bound.which('contains', 'matches', 'regex', 'count', 'value') ?? 'is'
  if (!comparator.substrings && ['contains', 'matches', 'regex'].includes(kind))
    throw bound.error(`:${kind} cannot be used with this comparator`)
  const fold = (_run: Run | null, key: string) => comparator.fold(key)
  switch (kind) {
    case 'count':
      return countMatch(comparator, relationOf(bound, 'count'), keys)
    case 'value': {
      const holds = relationOf(bound, 'value')
      return eachMatch(comparator, keys, fold, (_run, value, key) => holds(comparator.compare(value.folded, key)))
    }
    case 'contains':
      return eachMatch(comparator, keys, fold, (_run, value, key) => value.folded.includes(key))
    case 'matches':
      return eachMatch(comparator, keys, (run, key) => compileGlob(fold(run, key)), globMatch(bound, keeps))
    case 'regex':
      return eachMatch(comparator, keys, regexMaker(bound, comparator), regexMatch(bound, keeps))
    default:
      return eachMatch(comparator, keys, fold, (_run, value, key) => value.folded === key)
  }
}

/** RFC 5228 2.7.3: the default is i;ascii-casemap. */
function comparatorOf(bound: Bound): Comparator {
  const name = bound.constant('comparator') ?? 'i;ascii-casemap'
  const comparator = findComparator(name)
  if (!comparator) throw bound.error(`there is no comparator ${JSON.stringify(name.slice(0, 50))}`)
  if (comparator.requires !== null) bound.require(comparator.requires, 'this comparator')
  return comparator
}

function relationOf(bound: Bound, tag: 'count' | 'value'): (order: number) => boolean {
  const name = bound.constant(tag)!
  // RFC 5231 4: these six relations, in any case.
  const relation = Object.hasOwn(RELATIONS, name.toLowerCase()) ? RELATIONS[name.toLowerCase()] : undefined
  if (!relation) throw bound.error(`:${tag} wants gt, ge, lt, le, eq or ne`)
  return relation
}

function countMatch(comparator: Comparator, holds: (order: number) => boolean, keys: Texts): Match {
  return (run, values) => {
    run.spend(1, keys.line)
    const count = comparator.fold(String(values.length))
    return keys.read(run).some((key) => holds(comparator.compare(count, comparator.fold(key))))
  }
}

/** Keys that are constant are prepared once. */
function eachMatch<K>(
  comparator: Comparator,
  keys: Texts,
  prepare: (run: Run | null, key: string) => K,
  compare: Compare<K>,
): Match {
  const constants = keys.constants?.map((key) => ({ key: prepare(null, key), length: key.length }))
  return (run, values) => {
    if (values.length === 0) return false
    const ready = constants ?? keys.read(run).map((key) => ({ key: prepare(run, key), length: key.length }))
    for (const text of values) {
      const value = { text, folded: run.fold(comparator, text) }
      for (const { key, length } of ready) {
        run.spend(1 + (text.length + length) / 64, keys.line)
        if (compare(run, value, key)) return true
      }
    }
    return false
  }
}

function globMatch(bound: Bound, keeps: boolean): Compare<Glob> {
  return (run, { text, folded }, glob) => {
    run.spend(globCost(glob, folded.length), bound.line)
    const found = matchGlob(glob, folded)
    // RFC 5229 3.2: a match sets the variables to the text that the wildcards matched; a failed match leaves them unchanged.
    if (found && keeps)
      run.matched = [text, ...found.slice(0, SIEVE_MATCH_VARIABLES_MAX).map(([start, end]) => text.slice(start, end))]
    return found !== null
  }
}

function regexMaker(bound: Bound, comparator: Comparator): (run: Run | null, key: string) => Regex {
  const ignoreCase = comparator.fold('a') === comparator.fold('A')
  return (run, key) => {
    run?.spend(SIEVE_REGEX_COMPILE_STEPS, bound.line)
    const regex = compileRegex(key, ignoreCase)
    if (typeof regex === 'string') throw run ? new SieveRunError(bound.line, regex) : bound.error(regex)
    if (!run) bound.scope.countRegex(regex.size, bound.line)
    return regex
  }
}

function regexMatch(bound: Bound, keeps: boolean): Compare<Regex> {
  return (run, { text }, regex) => {
    run.spend(regex.cost(text.length), bound.line)
    const found = regex.find(text)
    if (found && keeps) run.matched = found.slice(0, SIEVE_MATCH_VARIABLES_MAX + 1)
    return found !== null
  }
}

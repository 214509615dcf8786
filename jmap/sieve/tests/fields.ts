/** RFC 5228 5.5, 5.7, 5.9: the tests header, exists and size; and the fields that a test names, by RFC 5260 6. */
import type { Bound } from '../bound.ts'
import type { TestDefinition } from '../definition.ts'
import { compileMatch, MATCH_TAGS } from '../match.ts'
import type { Run } from '../run.ts'
import type { TagSpec } from '../signature.ts'
import type { Texts } from '../text.ts'

export const INDEX_TAGS: Readonly<Record<string, TagSpec>> = {
  index: { value: 'number', requires: 'index' },
  last: { requires: 'index' },
}

/**
 * Values found in fields, one entry for each field (RFC 5228 2.4.2.2: a name that no field can have is not an error); with :index, one
 * of them. @throws SieveSyntaxError
 */
export function compileFields<T>(bound: Bound, names: Texts, find: (run: Run, name: string) => readonly T[]) {
  const index = bound.number('index')
  const fromEnd = bound.has('last')
  if (fromEnd && index === null) throw bound.error(':last needs :index')
  if (index === 0) throw bound.error(':index counts from 1')
  return (run: Run): readonly T[] => {
    const all = names.read(run).flatMap((name) => find(run, name))
    if (index === null) return all
    // RFC 5260 6: all named fields are counted, in the order of their names.
    const one = all.at(fromEnd ? -index : index - 1)
    return one === undefined ? [] : [one]
  }
}

const header: TestDefinition = {
  name: 'header',
  requires: [],
  tags: { ...MATCH_TAGS, ...INDEX_TAGS },
  positional: ['strings', 'strings'],
  compile(bound) {
    const values = compileFields(bound, bound.textsAt(0), (run, name) => run.environment.message.texts(name))
    const match = compileMatch(bound, bound.textsAt(1))
    return (run) => match(run, values(run))
  },
}

const exists: TestDefinition = {
  name: 'exists',
  requires: [],
  positional: ['strings'],
  compile(bound) {
    const names = bound.textsAt(0)
    return (run) => names.read(run).every((name) => run.environment.message.fields(name).length > 0)
  },
}

const size: TestDefinition = {
  name: 'size',
  requires: [],
  tags: { over: { value: 'number', group: 'limit' }, under: { value: 'number', group: 'limit' } },
  compile(bound) {
    const over = bound.number('over')
    const under = bound.number('under')
    if (over === null && under === null) throw bound.error('size needs :over or :under')
    // RFC 5228 5.9: a message of exactly that size is neither over nor under.
    return ({ environment }) =>
      over !== null ? environment.message.size > over : environment.message.size < (under as number)
  },
}

export const fieldTests: readonly TestDefinition[] = [header, exists, size]

/** RFC 5229 4: set, with its modifiers. */
import { SIEVE_VARIABLE_MAX_CHARS } from '../../../server/base/sieve-limits.ts'
import type { ActionDefinition } from '../definition.ts'
import { variableName } from './flags.ts'

/**
 * RFC 5229 4.1: modifiers of higher precedence apply first; at most one of each precedence is allowed. draft-ietf-sieve-regex:
 * :quoteregex.
 */
const MODIFIERS: readonly { readonly name: string; readonly height: number; apply(value: string): string }[] = [
  { name: 'lower', height: 40, apply: (value) => value.toLowerCase() },
  { name: 'upper', height: 40, apply: (value) => value.toUpperCase() },
  { name: 'lowerfirst', height: 30, apply: (value) => onFirst(value, (first) => first.toLowerCase()) },
  { name: 'upperfirst', height: 30, apply: (value) => onFirst(value, (first) => first.toUpperCase()) },
  { name: 'quotewildcard', height: 20, apply: (value) => value.replace(/[*?\\]/g, '\\$&') },
  { name: 'quoteregex', height: 20, apply: (value) => value.replace(/[\\^$.|?*+()[\]{}]/g, '\\$&') },
  { name: 'length', height: 10, apply: (value) => String(Array.from(value).length) },
]

function onFirst(value: string, change: (first: string) => string): string {
  const [first = ''] = value
  return change(first) + value.slice(first.length)
}

export const setAction: ActionDefinition = {
  name: 'set',
  requires: ['variables'],
  tags: Object.fromEntries(
    MODIFIERS.map(({ name, height }) => [
      name,
      { group: `height ${height}`, ...(name === 'quoteregex' && { requires: 'regex' }) },
    ]),
  ),
  positional: ['string', 'string'],
  compile(bound) {
    const name = variableName(bound, bound.source(0))
    const value = bound.textAt(1)
    const modifiers = MODIFIERS.filter((modifier) => bound.has(modifier.name))
    return (run) => {
      const text = modifiers.reduce((changed, { apply }) => {
        run.spend(changed.length, bound.line)
        return apply(changed)
      }, value.read(run))
      // RFC 5229 6: a long value is cut and is not an error.
      run.setVariable(name, cut(text), bound.line)
    }
  },
}

/** Does not cut between the two halves of a surrogate pair. */
function cut(text: string): string {
  if (text.length <= SIEVE_VARIABLE_MAX_CHARS) return text
  const last = text.charCodeAt(SIEVE_VARIABLE_MAX_CHARS - 1)
  return text.slice(0, SIEVE_VARIABLE_MAX_CHARS - (last >= 0xd800 && last <= 0xdbff ? 1 : 0))
}

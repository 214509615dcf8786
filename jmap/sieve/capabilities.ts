/** The capabilities that scripts may require. */
import { answerActions } from './actions/answers.ts'
import { flagActions } from './actions/flags.ts'
import { keepActions } from './actions/keep.ts'
import { setAction } from './actions/variables.ts'
import type { ActionDefinition, TestDefinition } from './definition.ts'
import { addressTests } from './tests/addresses.ts'
import { bodyTest } from './tests/body.ts'
import { dateTests } from './tests/dates.ts'
import { duplicateTest } from './tests/duplicate.ts'
import { fieldTests } from './tests/fields.ts'
import { logicTests } from './tests/logic.ts'
import { stateTests } from './tests/state.ts'

const byName = <T extends { readonly name: string }>(definitions: readonly T[]): ReadonlyMap<string, T> =>
  new Map(definitions.map((definition) => [definition.name, definition]))

export const TESTS: ReadonlyMap<string, TestDefinition> = byName([
  ...logicTests,
  ...fieldTests,
  ...addressTests,
  ...dateTests,
  ...stateTests,
  bodyTest,
  duplicateTest,
])

export const ACTIONS: ReadonlyMap<string, ActionDefinition> = byName([
  ...keepActions,
  ...flagActions,
  ...answerActions,
  setAction,
])

/** Capability strings of RFC 5228 6 and of the extensions; RFC 9661 1.3.1: sieveExtensions. */
export const SIEVE_EXTENSIONS: readonly string[] = [
  'body',
  'comparator-i;ascii-casemap',
  'comparator-i;ascii-numeric',
  'comparator-i;octet',
  'copy',
  'date',
  'duplicate',
  'encoded-character',
  'envelope',
  'environment',
  'ereject',
  'fileinto',
  'ihave',
  'imap4flags',
  'index',
  'mailbox',
  'regex',
  'reject',
  'relational',
  'spamtest',
  'spamtestplus',
  'special-use',
  'subaddress',
  'vacation',
  'vacation-seconds',
  'variables',
]

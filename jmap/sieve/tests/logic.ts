/** RFC 5228 5.2, 5.3, 5.6, 5.8, 5.10: tests of tests, from left to right. They stop as soon as the result is known. */
import type { TestDefinition } from '../definition.ts'

export const logicTests: readonly TestDefinition[] = [
  {
    name: 'allof',
    requires: [],
    tests: 'list',
    compile(bound) {
      const tests = bound.tests()
      return (run) => tests.every((test) => test(run))
    },
  },
  {
    name: 'anyof',
    requires: [],
    tests: 'list',
    compile(bound) {
      const tests = bound.tests()
      return (run) => tests.some((test) => test(run))
    },
  },
  {
    name: 'not',
    requires: [],
    tests: 'one',
    compile(bound) {
      const [test] = bound.tests()
      return (run) => !test!(run)
    },
  },
  { name: 'true', requires: [], compile: () => () => true },
  { name: 'false', requires: [], compile: () => () => false },
]

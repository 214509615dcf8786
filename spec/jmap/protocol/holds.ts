import fc from 'fast-check'
import type { Test } from 'tap'

/** Asserts a property of fast-check, as one assertion that shows the counterexample when it fails. */
export function holds<T>(t: Test, property: fc.IProperty<T>): void {
  const details = fc.check(property, { numRuns: 200 })
  if (details.failed) t.fail(fc.defaultReportMessage(details) ?? 'the property does not hold')
  else t.pass(`holds for ${details.numRuns} examples`)
}

/** A command or a test, declared once: its signature and its compiler. */
import type { Bound } from './bound.ts'
import type { Step, Test } from './run.ts'
import type { Signature } from './signature.ts'

export interface Definition<T> extends Signature {
  /** @throws SieveSyntaxError */
  compile(bound: Bound): T
}

export type TestDefinition = Definition<Test>
export type ActionDefinition = Definition<Step>

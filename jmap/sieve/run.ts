/** The state of one run: budget, variables, flags, planned actions, and the log. */
import {
  SIEVE_ACTIONS_MAX,
  SIEVE_NOTE_MAX_CHARS,
  SIEVE_STEPS_MAX,
  SIEVE_TRACE_MAX,
  SIEVE_VARIABLES_MAX,
} from '../../server/base/sieve-limits.ts'
import type { Comparator } from './comparators.ts'
import type { SieveEnvironment } from './environment.ts'
import { keywordsOf } from './flags.ts'
import type { SieveAction, SieveNote, SieveTarget } from './outcome.ts'

/** A compiled command, and a compiled test. They hold no state, so a script can run many times. */
export type Step = (run: Run) => void
export type Test = (run: Run) => boolean

/** RFC 5228 2.10.6: a run-time error, in words. */
export class SieveRunError extends Error {
  readonly line: number | null
  constructor(line: number | null, message: string) {
    super(message)
    this.line = line
  }
}

const FOLD_REMEMBERED_MIN_CHARS = 1_024

/** `stop`: ends the script normally. */
export class SieveStop extends Error {}

export class Run {
  readonly environment: SieveEnvironment
  /** RFC 5229: names in lower case. */
  readonly variables = new Map<string, string>()
  /** RFC 5229 3.2: the last match, `${0}` first. */
  matched: readonly string[] = []
  /** RFC 5232: the internal variable, with flags as the script writes them. */
  flags: readonly string[] = []
  readonly actions: SieveAction[] = []
  readonly trace: SieveNote[] = []
  readonly tracked = new Map<string, number>()
  /** Keys of the duplicate test: all keys, and those without an answer. */
  readonly asked = new Set<string>()
  readonly unknown = new Set<string>()
  /** RFC 5228 2.10.2: whether an action cancelled the implicit keep. */
  keepCancelled = false
  readonly #folded = new Map<Comparator, { readonly text: string; readonly folded: string }>()
  #steps = SIEVE_STEPS_MAX

  constructor(environment: SieveEnvironment) {
    this.environment = environment
  }

  /** @throws SieveRunError when the run has used its budget */
  spend(steps: number, line: number | null): void {
    this.#steps -= steps
    if (this.#steps < 0) throw new SieveRunError(line, `the script needed more than ${SIEVE_STEPS_MAX} steps`)
  }

  /** A value in the form in which a comparator compares it. Long values, such as a body, are converted once per run. */
  fold(comparator: Comparator, text: string): string {
    if (text.length < FOLD_REMEMBERED_MIN_CHARS) return comparator.fold(text)
    const known = this.#folded.get(comparator)
    if (known?.text === text) return known.folded
    const folded = comparator.fold(text)
    this.#folded.set(comparator, { text, folded })
    return folded
  }

  /** Files the message with the given flags, and logs it. */
  file(target: SieveTarget, flags: readonly string[], line: number | null): void {
    this.act({ kind: 'fileinto', target, flags: keywordsOf(flags) }, line)
    this.note(line, `Filed into ${JSON.stringify(target.path)}.`)
  }

  /** RFC 5229 6: limits the number of variables. */
  setVariable(name: string, value: string, line: number): void {
    if (!this.variables.has(name) && this.variables.size >= SIEVE_VARIABLES_MAX)
      throw new SieveRunError(line, `the script set more than ${SIEVE_VARIABLES_MAX} variables`)
    this.variables.set(name, value)
  }

  /** RFC 5429 2.4: actions that deliver or answer cannot be combined with reject. @throws SieveRunError */
  forbidWithReject(what: string, line: number): void {
    if (this.actions.some(({ kind }) => kind === 'reject'))
      throw new SieveRunError(line, `${what} does not go with reject`)
  }

  act(action: SieveAction, line: number | null): void {
    if (this.actions.length >= SIEVE_ACTIONS_MAX)
      throw new SieveRunError(line, `the script took more than ${SIEVE_ACTIONS_MAX} actions`)
    this.actions.push(action)
  }

  note(line: number | null, text: string): void {
    if (this.trace.length >= SIEVE_TRACE_MAX) return
    const short = text.length > SIEVE_NOTE_MAX_CHARS ? `${text.slice(0, SIEVE_NOTE_MAX_CHARS - 1)}…` : text
    this.trace.push({ line, text: short })
  }
}

/** The state of one run: budget, variables, flags, what is to be done so far, and the trace. */
import {
  SIEVE_ACTIONS_MAX,
  SIEVE_NOTE_MAX_CHARS,
  SIEVE_STEPS_MAX,
  SIEVE_TRACE_MAX,
} from '../../server/base/sieve-limits.ts'
import { keywordsOf } from './flags.ts'
import type { SieveAction, SieveEnvironment, SieveNote, SieveTarget } from './outcome.ts'

/** A compiled command, and a compiled test. They hold no state: a script runs any number of times. */
export type Step = (run: Run) => void
export type Test = (run: Run) => boolean

/** RFC 5228 2.10.6: an error at run time, in words. */
export class SieveRunError extends Error {
  readonly line: number | null
  constructor(line: number | null, message: string) {
    super(message)
    this.line = line
  }
}

/** `stop`: the script ends here, as planned. */
export class SieveStop extends Error {}

export class Run {
  readonly environment: SieveEnvironment
  /** RFC 5229: names in lower case. */
  readonly variables = new Map<string, string>()
  /** RFC 5229 3.2: the last match, `${0}` first. */
  matched: readonly string[] = []
  /** RFC 5232: the internal variable, flags as the script writes them. */
  flags: readonly string[] = []
  readonly actions: SieveAction[] = []
  readonly trace: SieveNote[] = []
  readonly tracked = new Map<string, number>()
  readonly unknown = new Set<string>()
  /** RFC 5228 2.10.2: whether something cancelled the implicit keep. */
  keepCancelled = false
  #steps = SIEVE_STEPS_MAX

  constructor(environment: SieveEnvironment) {
    this.environment = environment
  }

  /** @throws SieveRunError when the run has worked enough */
  spend(steps: number, line: number | null): void {
    this.#steps -= steps
    if (this.#steps < 0) throw new SieveRunError(line, `the script needed more than ${SIEVE_STEPS_MAX} steps`)
  }

  /** A message filed, its flags those given, and said so. */
  file(target: SieveTarget, flags: readonly string[], line: number | null): void {
    this.act({ kind: 'fileinto', target, flags: keywordsOf(flags) }, line)
    this.note(line, `Filed into ${JSON.stringify(target.path)}.`)
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

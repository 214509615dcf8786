/** Pieces for compiled inbox rules: the same commands as a script's, built without text, and actions of the rules' own. */
import type { JsonObject } from '../core.ts'
import { splitFlags } from './flags.ts'
import type { SieveMessage } from './message.ts'
import type { SieveEnvironment, SieveTarget } from './outcome.ts'
import { SieveStop, type Step } from './run.ts'
import type { SieveScript } from './script.ts'

export function scriptOf(steps: readonly Step[]): SieveScript {
  return { steps, requires: [] }
}

/** Steps for messages of which the condition holds. `words`: for the trace, a whole sentence. */
export function when(
  condition: (message: SieveMessage, environment: SieveEnvironment) => boolean,
  words: string,
  steps: readonly Step[],
): Step {
  return (run) => {
    run.spend(1, null)
    if (!condition(run.environment.message, run.environment)) return
    run.note(null, words)
    for (const step of steps) step(run)
  }
}

/** Files into a mailbox instead of where mail goes by default. */
export function fileInto(target: SieveTarget): Step {
  return (run) => {
    run.keepCancelled = true
    run.file(target, run.flags, null)
  }
}

/** Flags for what is filed and kept from here on; keywords such as `$seen` too. */
export function addFlags(flags: readonly string[]): Step {
  return (run) => {
    run.flags = splitFlags([...run.flags, ...flags])
  }
}

/** An action that who delivers knows; `words` for the trace. */
export function emit(data: JsonObject, words: string): Step {
  return (run) => {
    run.act({ kind: 'rule', data }, null)
    run.note(null, words)
  }
}

/** Nothing after it runs. */
export const halt: Step = () => {
  throw new SieveStop()
}

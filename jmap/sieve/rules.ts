/** Pieces for compiled inbox rules: steps of the same engine, built without text, and actions of the rules' own. */
import type { JsonObject } from '../../server/base/json.ts'
import type { SieveMessage } from './message.ts'
import type { SieveEnvironment } from './outcome.ts'
import type { Step } from './run.ts'
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

/** An action that who delivers knows; `words` for the trace. */
export function emit(data: JsonObject, words: string): Step {
  return (run) => {
    run.act({ kind: 'rule', data }, null)
    run.note(null, words)
  }
}

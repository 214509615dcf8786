/** Parts for compiled inbox rules: steps of the same engine that are built without text, and actions of inbox rules. */
import type { JsonObject } from '../../server/base/json.ts'
import type { SieveEnvironment } from './environment.ts'
import type { SieveMessage } from './message.ts'
import type { Step } from './run.ts'
import type { SieveScript } from './script.ts'

export function scriptOf(steps: readonly Step[]): SieveScript {
  return { steps, requires: [] }
}

/** Steps for messages that meet the condition. `words`: a whole sentence for the delivery log. */
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

/** An action that delivery executes; `words` are for the delivery log. */
export function emit(data: JsonObject, words: string): Step {
  return (run) => {
    run.act({ kind: 'rule', data }, null)
    run.note(null, words)
  }
}

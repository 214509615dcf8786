/** A compiled script, and its run. */
import { errorMessage } from '../../server/base/errors.ts'
import type { SieveEnvironment } from './environment.ts'
import { keywordsOf } from './flags.ts'
import type { SieveAction, SieveOutcome } from './outcome.ts'
import { Run, SieveRunError, SieveStop, type Step } from './run.ts'

/** Immutable; it holds no state of a run. */
export interface SieveScript {
  readonly steps: readonly Step[]
  /** Capabilities that the script requires. */
  readonly requires: readonly string[]
}

/** A script that always fails, for a source that cannot be compiled. */
export function failingScript(reason: string): SieveScript {
  const fail = () => {
    throw new SieveRunError(null, reason)
  }
  return { steps: [fail], requires: [] }
}

/** Runs a script on one message. Total: the outcome reports any error, and the message is then kept (RFC 5228 2.10.6). */
export function runScript(script: SieveScript, environment: SieveEnvironment): SieveOutcome {
  const run = new Run(environment)
  try {
    for (const step of script.steps) step(run)
  } catch (error) {
    if (!(error instanceof SieveStop)) return failed(run, error)
  }
  if (!run.keepCancelled) run.actions.push({ kind: 'keep', flags: keywordsOf(run.flags), implicit: true })
  return {
    actions: eachMailboxOnce(run.actions),
    trace: run.trace,
    error: null,
    track: [...run.tracked].map(([key, seconds]) => ({ key, seconds })),
    unknown: [...run.unknown],
  }
}

/**
 * The same with lookups of the keys of the duplicate test: runs again with the answers until none is missing.
 * @param lookUp returns the keys that are tracked now
 */
export async function runTracked(
  script: SieveScript,
  environment: Omit<SieveEnvironment, 'isDuplicate'>,
  lookUp: (keys: readonly string[]) => Promise<ReadonlySet<string>>,
): Promise<SieveOutcome> {
  const known = new Map<string, boolean>()
  for (;;) {
    const outcome = runScript(script, { ...environment, isDuplicate: (key) => known.get(key) ?? null })
    if (outcome.unknown.length === 0) return outcome
    const tracked = await lookUp(outcome.unknown)
    for (const key of outcome.unknown) known.set(key, tracked.has(key))
  }
}

function failed(run: Run, error: unknown): SieveOutcome {
  const line = error instanceof SieveRunError ? error.line : null
  const words = error instanceof SieveRunError ? error.message : `the script failed: ${errorMessage(error)}`
  run.note(line, `Ended by an error: ${words}. The message is kept.`)
  return {
    // RFC 5228 2.10.6: after an error no earlier action is executed, and the message is kept.
    actions: [{ kind: 'keep', flags: [], implicit: true }],
    trace: run.trace,
    error: line === null ? words : `line ${line}: ${words}`,
    track: [],
    unknown: [],
  }
}

/** RFC 5228 2.10.3: a message is filed into a mailbox once; RFC 5232 2.1: with the last flags. */
function eachMailboxOnce(actions: readonly SieveAction[]): SieveAction[] {
  const places = new Map<string, SieveAction>()
  for (const action of actions) {
    const place = placeOf(action)
    if (place !== null) places.set(place, action)
  }
  const seen = new Set<string>()
  return actions.flatMap((action) => {
    const place = placeOf(action)
    if (place === null) return [action]
    if (seen.has(place)) return []
    seen.add(place)
    return [places.get(place)!]
  })
}

function placeOf(action: SieveAction): string | null {
  if (action.kind === 'keep') return 'keep'
  if (action.kind === 'redirect') return `to ${action.address.toLowerCase()}`
  if (action.kind !== 'fileinto') return null
  return 'id' in action.target ? `id ${action.target.id}` : `path ${action.target.path.toLowerCase()}`
}

/**
 * jmap/sieve: RFC 5228 scripts, from text to what is to be done with a message. Pure: no storage, no clock, no network; whoever
 * delivers tells what there is (SieveEnvironment) and does what comes out (SieveOutcome). Work is bounded by
 * server/base/sieve-limits.ts whatever the script and the message are.
 */
export { SIEVE_EXTENSIONS } from './capabilities.ts'
export { type CompileResult, compileScript } from './compile.ts'
export { mailboxPaths } from './mailboxes.ts'
export { SieveMessage } from './message.ts'
export type {
  SieveAction,
  SieveEnvironment,
  SieveMailboxes,
  SieveNote,
  SieveOutcome,
  SieveTarget,
  SieveVacation,
} from './outcome.ts'
export { emit, scriptOf, when } from './rules.ts'
export { failingScript, runScript, runTracked, type SieveScript } from './script.ts'

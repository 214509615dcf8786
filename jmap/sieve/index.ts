/**
 * jmap/sieve: RFC 5228 scripts, from text to the actions for a message. Pure: no storage, no clock, no network. The caller provides the
 * facts (SieveEnvironment) and executes the result (SieveOutcome). server/base/sieve-limits.ts bounds the work for every script and
 * message.
 */
export { SIEVE_EXTENSIONS } from './capabilities.ts'
export { type CompileResult, compileScript } from './compile.ts'
export type { SieveEnvironment, SieveMailboxes } from './environment.ts'
export { mailboxPaths } from './mailboxes.ts'
export { SieveMessage } from './message.ts'
export type { SieveAction, SieveNote, SieveOutcome, SieveTarget, SieveVacation } from './outcome.ts'
export { emit, scriptOf, when } from './rules.ts'
export { failingScript, runScript, runTracked, type SieveScript } from './script.ts'

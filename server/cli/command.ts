/** What a command of the command line is, and what it is given: nothing here or below reaches for the process itself (main.ts). */
import type { Environment, OptionValues } from '../config/env.ts'

/** The world outside, as main.ts hands it in. */
export interface Terminal {
  readonly environment: Environment
  /** Standard output: results. */
  print(text: string): void
  /** Standard error: everything else. */
  complain(text: string): void
  /** All of standard input, for secrets that do not belong on a command line. */
  readInput(): Promise<string>
  /** Resolves when the process is asked to end (SIGTERM, SIGINT). */
  readonly stopAsked: Promise<void>
}

export interface CommandOption {
  /** Of the value: `<name>`; none for a switch. */
  readonly value?: string
  readonly help: string
}

export interface Invocation {
  readonly terminal: Terminal
  /** Settings given as options (server/config/settings.ts). */
  readonly settings: OptionValues
  /** The command's own options. */
  readonly options: { readonly [name: string]: string | boolean | undefined }
  readonly positionals: readonly string[]
}

export interface Command {
  /** `keys create` */
  readonly name: string
  readonly summary: string
  /** What follows the name: `<id>`. */
  readonly positionals?: string
  readonly options: { readonly [name: string]: CommandOption }
  /** Longer words under the usage line. */
  readonly description?: string
  /** Resolves with the exit code. Failures become a message and code 1. */
  run(invocation: Invocation): Promise<number>
}

/** A command line that cannot be understood: exit code 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}

/** The value of an option that the command cannot do without. @throws UsageError */
export function required({ options }: Invocation, name: string): string {
  const value = options[name]
  if (typeof value !== 'string' || value === '') throw new UsageError(`--${name} is missing`)
  return value
}

export function optional({ options }: Invocation, name: string): string | null {
  const value = options[name]
  return typeof value === 'string' ? value : null
}

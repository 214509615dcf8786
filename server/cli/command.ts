/** The type of a command, and of its input. Commands do not touch the process themselves (main.ts does). */
import type { Environment, OptionValues } from '../config/env.ts'

/** Environment and standard streams, as main.ts passes them in. */
export interface Terminal {
  readonly environment: Environment
  /** Standard output: results. */
  print(text: string): void
  /** Standard error: everything else. */
  printError(text: string): void
  /** Standard error is a terminal. */
  readonly isInteractive: boolean
  /** All of standard input, for secrets: command lines are visible to other users. */
  readInput(): Promise<string>
  /** Asks the person at the terminal. Resolves with the answer; null: nobody is there, or the input has ended. */
  ask(question: string): Promise<string | null>
  /** Resolves when the process is asked to end (SIGTERM, SIGINT). Signals end the process at once until a command reads it. */
  readonly stopRequested: Promise<void>
  /** Ends the process at once. */
  kill(): void
}

export interface CommandOption {
  /** Placeholder of the value, such as `<name>`; none: the option is a switch. */
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
  /** The arguments after the name, such as `<id>`. */
  readonly positionals?: string
  readonly options: { readonly [name: string]: CommandOption }
  /** More text under the usage line. */
  readonly description?: string
  /** Resolves with the exit code. A failure becomes a message and code 1. */
  run(invocation: Invocation): Promise<number>
}

/** A command line that is wrong: exit code 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}

/** The value of a required option. @throws UsageError */
export function required({ options }: Invocation, name: string): string {
  const value = options[name]
  if (typeof value !== 'string' || value === '') throw new UsageError(`--${name} is missing`)
  return value
}

export function optional({ options }: Invocation, name: string): string | null {
  const value = options[name]
  return typeof value === 'string' ? value : null
}

/** An option that is a URL, without a slash at the end. @throws UsageError */
export function urlIn(invocation: Invocation, name: string): string | null {
  const text = optional(invocation, name)
  if (text === null) return null
  if (!/^https?:\/\//.test(text) || !URL.canParse(text)) throw new UsageError(`--${name} must be an http or https URL`)
  return text.replace(/\/$/, '')
}

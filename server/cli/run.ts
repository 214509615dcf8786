/**
 * The command line: finds the command, reads its options, runs it. Exit codes: 0 done, 1 refused or failed, 2 wrong command line. Failures
 * print a message on standard error; only unexpected errors print a stack.
 */
import { type ParseArgsOptionsConfig, parseArgs } from 'node:util'
import { errorMessage, isFailure } from '../base/errors.ts'
import type { OptionValues } from '../config/env.ts'
import { declarationOf, SETTING_NAMES } from '../config/settings.ts'
import { type Command, type Invocation, type Terminal, UsageError } from './command.ts'
import { COMMANDS } from './commands.ts'
import { helpOf, helpOfGroup, overview } from './help.ts'
import { VERSION } from './version.ts'

export async function run(args: readonly string[], terminal: Terminal): Promise<number> {
  try {
    return await dispatch(args, terminal)
  } catch (error) {
    terminal.printError(`posthouse: ${messageOf(error)}\n`)
    if (!(error instanceof UsageError)) return 1
    terminal.printError('Try posthouse --help.\n')
    return 2
  }
}

function messageOf(error: unknown): string {
  if (isFailure(error) || error instanceof UsageError || isOfSystem(error)) return error.message
  return error instanceof Error ? (error.stack ?? error.message) : errorMessage(error)
}

/** Such as a file that cannot be written: its message says what failed. */
function isOfSystem(error: unknown): error is Error {
  return error instanceof Error && 'syscall' in error
}

async function dispatch(args: readonly string[], terminal: Terminal): Promise<number> {
  const [first] = args
  if (first === '--version') {
    terminal.print(`${VERSION}\n`)
    return 0
  }
  const command = findCommand(args)
  if (!command) {
    const group = COMMANDS.filter(({ name }) => name.startsWith(`${first} `))
    if (group.length > 0 && args.slice(1).every((arg) => arg === '--help' || arg === '-h' || arg === 'help')) {
      terminal.print(helpOfGroup(first!, group))
      return args.length > 1 ? 0 : 2
    }
    if (first !== undefined && first !== '--help' && first !== '-h' && first !== 'help')
      throw new UsageError(`there is no command "${args.slice(0, 2).join(' ')}"`)
    terminal.print(overview(COMMANDS))
    return first === undefined ? 2 : 0
  }
  const { values, positionals } = parse(command, args.slice(command.name.split(' ').length))
  if (values['help'] === true) {
    terminal.print(helpOf(command))
    return 0
  }
  return command.run(invocationOf(terminal, values, positionals))
}

function findCommand(args: readonly string[]): Command | undefined {
  return COMMANDS.find(({ name }) => name.split(' ').every((word, i) => args[i] === word))
}

type Values = { readonly [name: string]: string | boolean | undefined }

function parse(command: Command, args: readonly string[]): { values: Values; positionals: string[] } {
  const options: ParseArgsOptionsConfig = { help: { type: 'boolean', short: 'h' } }
  for (const name of SETTING_NAMES)
    options[name.replaceAll('_', '-')] = { type: declarationOf(name).kind === 'flag' ? 'boolean' : 'string' }
  for (const [name, { value }] of Object.entries(command.options))
    options[name] = { type: value === undefined ? 'boolean' : 'string' }
  try {
    const parsed = parseArgs({ args: [...args], options, strict: true, allowPositionals: true })
    if (!command.positionals && parsed.positionals.length > 0)
      throw new UsageError(`${command.name} takes no argument "${parsed.positionals[0]}"`)
    return { values: parsed.values as Values, positionals: parsed.positionals }
  } catch (error) {
    // The messages of parseArgs end in advice about `--` that does not apply here.
    throw error instanceof UsageError ? error : new UsageError(errorMessage(error).split('. ')[0]!)
  }
}

function invocationOf(terminal: Terminal, values: Values, positionals: readonly string[]): Invocation {
  const settings: OptionValues = Object.fromEntries(
    SETTING_NAMES.map((name) => [name, values[name.replaceAll('_', '-')]]),
  )
  return { terminal, settings, options: values, positionals }
}

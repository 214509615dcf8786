/** The help texts, derived from the declarations of commands and settings. */
import { declarationOf, optionOf, SETTING_GROUPS, SETTING_NAMES } from '../config/settings.ts'
import type { Command } from './command.ts'

const WIDTH = 36

export function overview(commands: readonly Command[]): string {
  const rows = commands.map(({ name, summary }) => row(name, summary))
  return `Posthouse, a mail server.

Usage: posthouse <command> [options]

Commands:
${rows.join('\n')}

${row('posthouse <command> --help', 'explains a command and its options')}
${row('posthouse --version', 'prints the version')}
`
}

/** What `posthouse <command> --help` prints: the options of that command, and for `serve` all settings. */
export function helpOf(command: Command): string {
  const usage = ['posthouse', command.name, command.positionals, '[options]'].filter(Boolean).join(' ')
  const description = command.description ? `\n${command.description}\n` : ''
  const options = optionRows(command)
  return `${capital(command.summary)}.

Usage: ${usage}
${description}${options.length > 0 ? `\nOptions:\n${options.join('\n')}\n` : ''}
${command.name === 'serve' ? `${settingsHelp()}\n${SOURCES}` : ELSEWHERE}`
}

/** What `posthouse <group> --help` prints: its commands with the options of each. */
export function helpOfGroup(group: string, commands: readonly Command[]): string {
  const parts = commands.map((command) => {
    const usage = ['posthouse', command.name, command.positionals].filter(Boolean).join(' ')
    return [`${usage}`, `  ${capital(command.summary)}.`, ...optionRows(command)].join('\n')
  })
  return `Usage: posthouse ${group} <command> [options]\n\n${parts.join('\n\n')}\n\n${ELSEWHERE}`
}

function optionRows({ options }: Command): string[] {
  return Object.entries(options).map(([name, { value, help }]) => row(value ? `--${name} ${value}` : `--${name}`, help))
}

function capital(text: string): string {
  return text[0]!.toUpperCase() + text.slice(1)
}

const SOURCES = `Every setting can also be given as an environment variable (--http-port as POSTHOUSE_HTTP_PORT) or in the
file that --config names ("http_port": 8080). The command line overrides the environment, the environment
overrides the file. Variables for secrets, and for addresses that may hold one, can be given as a file:
POSTHOUSE_DATABASE_FILE.
`

const ELSEWHERE = 'It takes the settings that say where the data is, too: posthouse serve --help\n'

function settingsHelp(): string {
  const groups = SETTING_GROUPS.map((group) => {
    const rows = SETTING_NAMES.filter((name) => declarationOf(name).group === group).map((name) => {
      const { value, help, default: fallback } = declarationOf(name)
      const text = fallback === undefined ? help : `${help} (default: ${fallback})`
      return row(value ? `${optionOf(name)} ${value}` : optionOf(name), text)
    })
    return `${group}:\n${rows.join('\n')}\n`
  })
  return groups.join('\n')
}

function row(left: string, right: string): string {
  const start = `  ${left}`
  return start.length < WIDTH ? start.padEnd(WIDTH) + right : `${start}\n${' '.repeat(WIDTH)}${right}`
}

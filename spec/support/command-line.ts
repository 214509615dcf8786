/**
 * The command line in the process of the test. server/main.ts calls the same function with the streams and signals of a process of its
 * own, which costs a second of CPU for each command: posthouse.ts starts one for what only a process shows.
 */
import type { Test } from 'tap'
import type { Terminal } from '../../server/cli/command.ts'
import { run } from '../../server/cli/run.ts'
import { type Ended, type Ready, serveArguments } from './posthouse.ts'

interface CommandOptions {
  /** Standard input. */
  readonly input?: string
  /** What the person at the terminal answers; default: nobody is there. */
  readonly answer?: string
  /** The environment, without that of this process. */
  readonly env?: Readonly<Record<string, string>>
}

/** Commands that run until they are stopped. */
const ENDLESS = ['serve', 'listen']

/** Runs a command to its end. One that runs until it is stopped, such as a server that starts, is stopped at once. */
export async function runCommand(args: readonly string[], options: CommandOptions = {}): Promise<Ended> {
  const [stdout, stderr]: [string[], string[]] = [[], []]
  const code = await run(args, {
    ...terminalOf(options, ENDLESS.includes(args[0] ?? '') ? Promise.resolve() : new Promise(() => {})),
    print: (text) => void stdout.push(text),
    printError: (text) => void stderr.push(text),
  })
  return { code, stdout: stdout.join(''), stderr: stderr.join('') }
}

export interface RunningCommand {
  /** The next line of standard output. Rejects when the command has ended without another. */
  line(): Promise<string>
  /** Stops it as a signal does; the exit code. */
  stop(): Promise<number>
}

/** Starts a command that runs until it is stopped. It is stopped after the test. */
export function startCommand(t: Pick<Test, 'teardown'>, args: readonly string[], options: CommandOptions = {}) {
  const stopping = Promise.withResolvers<void>()
  const lines: string[] = []
  const errors: string[] = []
  let printed = Promise.withResolvers<void>()
  const ended = run(args, {
    ...terminalOf(options, stopping.promise),
    print(text) {
      lines.push(...text.trimEnd().split('\n'))
      printed.resolve()
      printed = Promise.withResolvers()
    },
    printError: (text) => void errors.push(text),
  })
  const stop = () => {
    stopping.resolve()
    return ended
  }
  t.teardown(stop)
  const line = async () => {
    while (lines.length === 0) {
      const code = await Promise.race([printed.promise, ended])
      if (typeof code === 'number' && lines.length === 0) throw new Error(`it ended with ${code}: ${errors.join('')}`)
    }
    return lines.shift()!
  }
  return { line, stop } satisfies RunningCommand
}

export interface ServerHere {
  readonly ready: Ready
  /** Stops it as a signal does; the exit code. */
  stop(): Promise<number>
}

/**
 * `serve --dev --json` on free ports; stopped after the test. Without threads of its own, each of which would load the program once more:
 * servers that posthouse.ts starts have them.
 */
export async function serve(
  t: Pick<Test, 'teardown'>,
  data: string,
  args: readonly string[] = [],
  env: Readonly<Record<string, string>> = {},
): Promise<ServerHere> {
  const { line, stop } = startCommand(
    t,
    serveArguments(data, ['--writer-thread=off', '--reading-threads=0', ...args]),
    { env },
  )
  return { ready: JSON.parse(await line()), stop }
}

function terminalOf({ input = '', answer, env = {} }: CommandOptions, stopRequested: Promise<void>) {
  return {
    // Logs go to the standard error of the process, which is that of the suite.
    environment: { POSTHOUSE_LOG_LEVEL: 'silent', ...env },
    isInteractive: false,
    readInput: async () => input,
    ask: async () => answer ?? null,
    stopRequested,
    kill() {
      throw new Error('a thread still reads, so that the process cannot end by itself')
    },
  } satisfies Partial<Terminal>
}

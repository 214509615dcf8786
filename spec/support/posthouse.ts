/**
 * Runs the program itself, as a user does: `node server/posthouse.js ...` with its own data folder, which is removed after the test. What
 * needs no process of its own runs in command-line.ts, which is much cheaper.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import type { Test } from 'tap'
import type { DevCredentials } from '../../server/dev/credentials.ts'
import type { ReadyReport } from '../../server/startup/ready-report.ts'

export const PROGRAM = fileURLToPath(new URL('../../server/posthouse.js', import.meta.url))
export const FREE_PORTS = ['--http-port=0', '--smtp-port=0', '--submission-port=0', '--submissions-port=0'] as const

export interface Ended {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

/** A folder that is removed after the test. It is not created if `name` is given. */
export function temporaryFolder(t: Test, name = ''): string {
  const folder = mkdtempSync(join(tmpdir(), 'posthouse-test-'))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  return join(folder, name)
}

/** Runs a command to its end. */
export async function posthouse(
  args: readonly string[],
  options: { input?: string; env?: object; uid?: number } = {},
): Promise<Ended> {
  const child = start(args, options.env, options.uid)
  child.stdin!.end(options.input ?? '')
  const [stdout, stderr] = await Promise.all([text(child.stdout!), text(child.stderr!), once(child, 'close')])
  return { code: child.exitCode, stdout, stderr }
}

/** The line that a server in dev mode prints with --json. */
export type Ready = ReadyReport & DevCredentials

export interface RunningServer {
  readonly ready: Ready
  readonly child: ChildProcess
  /** Lines of standard output until now. */
  readonly lines: readonly string[]
  /** Sends a signal and waits for the end; the exit code. */
  stop(signal?: NodeJS.Signals): Promise<number | null>
}

export function serveArguments(data: string, args: readonly string[]): string[] {
  return ['serve', '--dev', '--json', `--data=${data}`, ...FREE_PORTS, ...args]
}

/** `serve --dev --json` on free ports; stopped after the test. */
export async function startPosthouse(
  t: Test,
  data: string,
  args: readonly string[] = [],
  env: object = {},
): Promise<RunningServer> {
  const child = start(serveArguments(data, args), env)
  const lines: string[] = []
  const errors: string[] = []
  child.stderr!.on('data', (chunk) => errors.push(String(chunk)))
  const closed = once(child, 'close')
  const stop = async (signal: NodeJS.Signals = 'SIGTERM') => {
    child.kill(signal)
    await closed
    return child.exitCode
  }
  t.teardown(() => (child.exitCode === null && child.signalCode === null ? stop('SIGKILL') : undefined))
  const reader = createInterface({ input: child.stdout! })
  reader.on('line', (line) => lines.push(line))
  await Promise.race([once(reader, 'line'), closed])
  if (lines[0] === undefined) throw new Error(`posthouse did not start: ${errors.join('')}`)
  return { ready: JSON.parse(lines[0]), child, lines, stop }
}

function start(args: readonly string[], env: object = {}, uid?: number): ChildProcess {
  return spawn(process.execPath, [PROGRAM, ...args], {
    ...(uid !== undefined && { uid, gid: uid }),
    env: { ...process.env, NODE_OPTIONS: '', ...env },
    stdio: 'pipe',
  })
}

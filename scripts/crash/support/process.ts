/** The real server as a child process that can be killed or stopped at any moment. */
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as pause } from 'node:timers/promises'
import { promisify } from 'node:util'

/** Starts Node and the program in it. */
export const PROGRAM = join(import.meta.dirname, '../../../server/posthouse')
const PORTS = ['--http-port', '--smtp-port', '--submission-port', '--submissions-port'].flatMap((name) => [name, '0'])

export interface Installation {
  readonly mailbox: { readonly id: string; readonly address: string; readonly password: string }
  readonly api_key: string
}

export interface Addresses {
  readonly http: string
  readonly smtp: { readonly host: string; readonly port: number }
}

/** @param more settings of the server */
export async function setUp(data: string, more: readonly string[] = []): Promise<Installation> {
  const names = ['--organization', 'Crash', '--mailbox', 'hello@example.test']
  const { stdout } = await promisify(execFile)(PROGRAM, ['setup', '--json', '--data', data, ...names, ...more])
  return JSON.parse(stdout) as Installation
}

export interface ServerProcess {
  readonly child: ChildProcess
  /** Its addresses; null: it ended before it was ready. */
  readonly ready: Promise<Addresses | null>
  readonly exited: Promise<unknown>
}

/** The program and its command line for a server on free ports. @param more settings of the server */
export function serveArguments(data: string, more: readonly string[] = []): string[] {
  const settings = [
    '--bind=127.0.0.1',
    '--outbound=capture',
    '--log-level=error',
    '--rate-write=0',
    '--rate-read=0',
    '--sender-checks=off',
  ]
  return ['serve', '--json', '--data', data, ...settings, ...more, ...PORTS]
}

/** @param nodeOptions options of node @param more settings of the server */
export function startServer(
  data: string,
  nodeOptions: readonly string[] = [],
  more: readonly string[] = [],
): ServerProcess {
  const env = { ...process.env, NODE_OPTIONS: nodeOptions.join(' ') }
  const child = spawn(PROGRAM, serveArguments(data, more), { env, stdio: ['ignore', 'pipe', 'inherit'] })
  const exited = once(child, 'exit')
  const line = once(createInterface({ input: child.stdout! }), 'line') as Promise<[string]>
  const ready = Promise.race([line.then(([text]) => JSON.parse(text) as Addresses), exited.then(() => null)])
  return { child, ready, exited }
}

/** Stops every thread of a process, and waits until the last one has left the kernel: a write under way is completed. */
export async function freeze(child: ChildProcess): Promise<void> {
  child.kill('SIGSTOP')
  while (!threadStates(child.pid!).every((state) => state === 'T')) await pause(1)
}

function threadStates(pid: number): string[] {
  return readdirSync(`/proc/${pid}/task`).map((thread) => {
    const stat = readFileSync(`/proc/${pid}/task/${thread}/stat`, 'utf8')
    // The name, in parentheses, may contain anything.
    return stat[stat.lastIndexOf(')') + 2]!
  })
}

/** The real server as a child process that may be killed or stopped at any moment. */
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'

const ENTRY = join(import.meta.dirname, '../../../server/posthouse.js')
const PORTS = ['--http-port', '--smtp-port', '--submission-port', '--submissions-port'].flatMap((name) => [name, '0'])

export interface Installation {
  readonly mailbox: { readonly id: string; readonly address: string; readonly password: string }
  readonly api_key: string
}

export interface Addresses {
  readonly http: string
  readonly smtp: { readonly host: string; readonly port: number }
}

export async function setUp(data: string): Promise<Installation> {
  const names = ['--organization', 'Crash', '--mailbox', 'hello@example.test']
  const { stdout } = await promisify(execFile)(process.execPath, [ENTRY, 'setup', '--json', '--data', data, ...names])
  return JSON.parse(stdout) as Installation
}

export interface ServerProcess {
  readonly child: ChildProcess
  /** Where it listens; null when it ended before it was ready. */
  readonly ready: Promise<Addresses | null>
  readonly exited: Promise<unknown>
}

/** @param nodeOptions for node itself, before the program */
export function startServer(data: string, nodeOptions: readonly string[] = []): ServerProcess {
  const settings = [
    '--bind',
    '127.0.0.1',
    '--outbound',
    'capture',
    '--log-level',
    'error',
    '--rate-write',
    '0',
    '--rate-read',
    '0',
  ]
  const args = [...nodeOptions, ENTRY, 'serve', '--json', '--data', data, ...settings, ...PORTS]
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  const exited = once(child, 'exit')
  const line = once(createInterface({ input: child.stdout! }), 'line') as Promise<[string]>
  const ready = Promise.race([line.then(([text]) => JSON.parse(text) as Addresses), exited.then(() => null)])
  return { child, ready, exited }
}

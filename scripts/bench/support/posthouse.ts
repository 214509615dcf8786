/** Starts the real server in a separate process, on loopback and free ports, with a fresh data folder: `setup`, then `serve`, not dev mode. */
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'

export interface Ready {
  readonly http: string
  readonly smtp: { readonly host: string; readonly port: number }
  readonly submission: { readonly host: string; readonly port: number; readonly tls_port: number }
  readonly organization: { readonly id: string }
  readonly domain: { readonly id: string; readonly name: string }
  readonly mailbox: { readonly id: string; readonly address: string; readonly password: string }
  readonly api_key: string
}

export interface Running extends Ready {
  readonly pid: number
  readonly data: string
  readonly child: ChildProcess
  isAlive(): boolean
  stop(): Promise<void>
}

const PROJECT = join(import.meta.dirname, '../../..')
const LAUNCHER = 'server/posthouse'
const PORTS = ['--http-port', '--smtp-port', '--submission-port', '--submissions-port'].flatMap((name) => [name, '0'])

// Of two values of an option the last counts.
const HERE = ['--bind', '127.0.0.1', '--outbound', 'capture', '--log-level', 'error', '--sender-checks', 'off']

/**
 * @param kept a folder that stays and is used again if it exists; without it, one that `stop` removes
 * @param checkout folder of another program to start
 * @param node options of Node; with them the process can be asked by IPC
 */
export async function startPosthouse(
  options: readonly string[] = [],
  kept?: string,
  checkout: string = PROJECT,
  node: readonly string[] = [],
): Promise<Running> {
  const program = resolve(checkout, LAUNCHER)
  const folder = kept ?? mkdtempSync(join(tmpdir(), 'posthouse-bench-'))
  const data = join(folder, 'data')
  const setup = await setUp(
    program,
    folder,
    data,
    options.filter((option) => option.startsWith('--database=')),
  )
  const child = spawn(program, ['serve', '--json', '--data', data, ...HERE, ...PORTS, ...options], {
    env: { ...process.env, NODE_OPTIONS: node.join(' ') },
    stdio: ['ignore', 'pipe', 'inherit', ...(node.length > 0 ? ['ipc' as const] : [])],
  })
  const lines = createInterface({ input: child.stdout! })
  const first = await Promise.race([once(lines, 'line'), once(child, 'exit')])
  if (typeof first[0] !== 'string') throw new Error(`the server ended before it was ready (${first[0]})`)
  return {
    ...setup,
    ...(JSON.parse(first[0]) as Ready),
    pid: child.pid!,
    data,
    child,
    isAlive: () => child.exitCode === null && child.signalCode === null,
    async stop() {
      if (child.exitCode === null && child.signalCode === null) {
        const exited = once(child, 'exit')
        child.kill('SIGTERM')
        await exited
      }
      if (!kept) rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** `setup` prints credentials once: a reused folder has them in a file. */
async function setUp(program: string, folder: string, data: string, options: readonly string[]): Promise<Ready> {
  const file = join(folder, 'setup.json')
  if (!existsSync(file)) {
    mkdirSync(folder, { recursive: true })
    const names = ['--organization', 'Bench', '--mailbox', 'hello@example.test']
    const { stdout } = await promisify(execFile)(program, ['setup', '--json', '--data', data, ...names, ...options])
    writeFileSync(file, stdout)
  }
  return JSON.parse(readFileSync(file, 'utf8')) as Ready
}

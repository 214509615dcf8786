/** Starts the real server in a process of its own, on loopback and free ports, with a fresh data folder: `setup`, then `serve`, not dev mode. */
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
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
  stop(): Promise<void>
}

const ENTRY = join(import.meta.dirname, '../../../server/posthouse.js')
const PORTS = ['--http-port', '--smtp-port', '--submission-port', '--submissions-port'].flatMap((name) => [name, '0'])

const HERE = ['--bind', '127.0.0.1', '--outbound', 'capture', '--log-level', 'error']

export async function startPosthouse(options: readonly string[] = []): Promise<Running> {
  const folder = mkdtempSync(join(tmpdir(), 'posthouse-bench-'))
  const data = join(folder, 'data')
  const names = ['--organization', 'Bench', '--mailbox', 'hello@example.test']
  const setup = await promisify(execFile)(process.execPath, [ENTRY, 'setup', '--json', '--data', data, ...names])
  const child = spawn(process.execPath, [ENTRY, 'serve', '--json', '--data', data, ...HERE, ...PORTS, ...options], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const lines = createInterface({ input: child.stdout })
  const first = await Promise.race([once(lines, 'line'), once(child, 'exit')])
  if (typeof first[0] !== 'string') throw new Error(`the server ended before it was ready (${first[0]})`)
  return {
    ...(JSON.parse(setup.stdout) as Ready),
    ...(JSON.parse(first[0]) as Ready),
    pid: child.pid!,
    data,
    async stop() {
      const exited = once(child, 'exit')
      child.kill('SIGTERM')
      await exited
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

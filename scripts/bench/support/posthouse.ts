/** Starts the real server in a process of its own, on free ports and a fresh data folder, as `npm start -- --json` does. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'

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

export async function startPosthouse(
  options: readonly string[] = [],
  environment: Record<string, string> = {},
): Promise<Running> {
  const folder = mkdtempSync(join(tmpdir(), 'posthouse-bench-'))
  const data = join(folder, 'data')
  const child = spawn(process.execPath, [ENTRY, 'serve', '--dev', '--json', '--data', data, ...PORTS, ...options], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, POSTHOUSE_LOG_LEVEL: 'error', ...environment },
  })
  const lines = createInterface({ input: child.stdout })
  const first = await Promise.race([once(lines, 'line'), once(child, 'exit')])
  if (typeof first[0] !== 'string') throw new Error(`the server ended before it was ready (${first[0]})`)
  const ready = JSON.parse(first[0]) as Ready
  return {
    ...ready,
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

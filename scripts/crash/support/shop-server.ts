/** A server in dev mode that buys domains and is paid at a shop of fakes, to be killed and started again on the same data. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { PROGRAM } from './process.ts'

export interface ShopServer {
  readonly child: ChildProcess
  readonly http: string
  readonly key: string
}

export interface ShopServerOptions {
  /** The data folder. */
  readonly data: string
  /** URL of a PostgreSQL database; null: SQLite. */
  readonly databaseUrl: string | null
  /** Without threads of its own, for a machine with other work. */
  readonly oneThread: boolean
  /** How it reaches the shop. */
  readonly settings: readonly string[]
}

export async function startShopServer(options: ShopServerOptions): Promise<ShopServer> {
  const { data, databaseUrl, oneThread, settings } = options
  const child = spawn(
    PROGRAM,
    [
      ...['serve', '--dev', '--json', `--data=${data}`, '--log-level=silent', '--rate-write=0', '--rate-read=0'],
      ...['--http-port=0', '--smtp-port=0', '--submission-port=0', '--submissions-port=0', ...settings],
      ...(databaseUrl !== null ? [`--database=${databaseUrl}`] : []),
      ...(oneThread ? ['--writer-thread=off', '--reading-threads=0'] : []),
    ],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  )
  const ended = once(child, 'exit').then(([code]) => {
    throw new Error(`the server ended with ${code} before it was ready`)
  })
  const [line] = (await Promise.race([once(createInterface({ input: child.stdout! }), 'line'), ended])) as [string]
  ended.catch(() => {})
  const { http, api_key: key } = JSON.parse(line) as { readonly http: string; readonly api_key: string }
  return { child, http, key }
}

/** Checks that the ports are free, before anything is created or opened, and lets the system choose that of HTTP. */
import { once } from 'node:events'
import { type AddressInfo, createServer, type Server } from 'node:net'
import { errorMessage, Failure } from '../base/errors.ts'
import type { Config } from '../config/config.ts'
import { ownUrl } from '../config/hosting-settings.ts'
import { optionOf, type SettingName } from '../config/settings.ts'

/** @throws Failure `configuration` that names the first port that cannot be opened */
export async function requireFreePorts(config: Config): Promise<void> {
  const wanted: [SettingName, number][] = [
    ['http_port', config.http.port],
    ['smtp_port', config.smtp.port],
    ['submission_port', config.submission.port],
    ['submissions_port', config.submission.tlsPort],
  ]
  for (const [name, port] of wanted) if (port !== 0) await requireFreePort(name, config.bind, port)
}

export interface SettledPort {
  /** With the port of HTTP, in its URL too. */
  readonly config: Config
  /** Listens already, for the HTTP listener to take over; null: the port was configured. */
  readonly socket: Server | null
}

/**
 * Opens the port of HTTP if the system chooses it. The core needs its number before it opens: links in mails have it.
 * @throws Failure `configuration`
 */
export async function settleHttpPort(config: Config): Promise<SettledPort> {
  const { http, hosting, bind, hostname, dev: isDev } = config
  if (http.port !== 0) return { config, socket: null }
  const socket = await openPort('http_port', bind, 0)
  // Nobody has been told of the port yet.
  socket.on('connection', (connection) => connection.destroy())
  const { port } = socket.address() as AddressInfo
  const baseUrl = ownUrl({ hostname, baseUrl: http.baseUrl, isDev, bind }, port)
  return { config: { ...config, http: { ...http, port }, hosting: { ...hosting, baseUrl } }, socket }
}

async function requireFreePort(name: SettingName, host: string, port: number): Promise<void> {
  const probe = await openPort(name, host, port)
  probe.close()
  await once(probe, 'close')
}

async function openPort(name: SettingName, host: string, port: number): Promise<Server> {
  const server = createServer()
  try {
    server.listen(port, host)
    await once(server, 'listening')
    return server
  } catch (error) {
    throw new Failure('configuration', `port ${port} on ${host} ${reasonOf(error)} (${optionOf(name)} sets another)`)
  }
}

function reasonOf(error: unknown): string {
  switch ((error as NodeJS.ErrnoException).code) {
    case 'EADDRINUSE':
      return 'is taken by another program'
    case 'EACCES':
      return 'may not be opened by this user: ports below 1024 need a privilege'
    case 'EADDRNOTAVAIL':
      return 'cannot be opened: this machine has no such address'
    default:
      return `cannot be opened: ${errorMessage(error)}`
  }
}

/** Checks that the ports are free, before anything is created or opened. */
import { once } from 'node:events'
import { createServer } from 'node:net'
import { errorMessage, Failure } from '../base/errors.ts'
import type { Config } from '../config/config.ts'
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

async function requireFreePort(name: SettingName, host: string, port: number): Promise<void> {
  const probe = createServer()
  try {
    probe.listen(port, host)
    await once(probe, 'listening')
  } catch (error) {
    throw new Failure('configuration', `port ${port} on ${host} ${reasonOf(error)} (${optionOf(name)} sets another)`)
  }
  probe.close()
  await once(probe, 'close')
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

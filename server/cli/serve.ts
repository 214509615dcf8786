/** `posthouse serve`: runs the server until it is asked to stop. */
import { join } from 'node:path'
import { createLogger } from '../base/logger.ts'
import { CAPTURE_FOLDER, type Config, readConfig } from '../config/config.ts'
import { gatherSettings } from '../config/env.ts'
import { readSecrets } from '../config/secrets.ts'
import { describeTour } from '../dev/tour.ts'
import type { StartedServer } from '../server.ts'
import type { Command, Invocation } from './command.ts'

export const serve: Command = {
  name: 'serve',
  summary: 'runs the server until it gets SIGTERM or SIGINT',
  description: 'Logs go to standard error, as JSON lines.',
  options: {},
  async run({ terminal, settings }: Invocation): Promise<number> {
    const raw = gatherSettings(settings, terminal.environment)
    const config = readConfig(raw)
    // Loaded here, so that help and refusals do not load a mail server.
    const { Server } = await import('../server.ts')
    const died = Promise.withResolvers<Error>()
    const logger = createLogger(config.logLevel)
    const server = await Server.create({ config, secrets: readSecrets(raw), logger, onFatal: died.resolve })
    terminal.print(announce(await server.start(), config))
    const error = await Promise.race([died.promise, terminal.stopRequested.then(() => null)])
    if (error) logger.error({ error: error.message, stack: error.stack }, 'a thread died; stopping')
    await server.stop()
    return error ? 1 : 0
  },
}

function announce({ report, credentials }: StartedServer, config: Config): string {
  // In dev mode with the credentials, which are printed nowhere else.
  if (config.json) return `${JSON.stringify({ ...report, ...credentials })}\n`
  if (credentials) return describeTour(report, credentials, describeOutbound(config))
  return `Posthouse is ready: HTTP at ${report.http}, SMTP on port ${report.smtp.port}.\n`
}

function describeOutbound({ outbound, data }: Config): string {
  switch (outbound.kind) {
    case 'capture':
      return `kept, not sent: ${join(data, CAPTURE_FOLDER)}`
    case 'mx':
      return 'goes to the mail hosts of each domain'
    case 'relay':
      return `goes to ${outbound.host}`
  }
}

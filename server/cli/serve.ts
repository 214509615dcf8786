/** `posthouse serve`: runs the server until it is asked to stop. */
import { join } from 'node:path'
import { collectGarbage } from '../base/collect-garbage.ts'
import { FATAL_EXIT_CODES, FATAL_WORDS, type Fatal } from '../base/fatal.ts'
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
  description:
    'Logs go to standard error, as JSON lines. Exit code 0: asked to stop; 1: refused, or a thread died; 74: the disk failed. After the\n' +
    'last two a supervisor should start it again.',
  options: {},
  async run({ terminal, settings }: Invocation): Promise<number> {
    const { stopRequested } = terminal
    const raw = gatherSettings(settings, terminal.environment)
    const config = readConfig(raw)
    // Loaded here, so that help and refusals do not load a mail server.
    const { Server } = await import('../server.ts')
    const fatal = Promise.withResolvers<Fatal>()
    const logger = createLogger(config.logLevel)
    const server = await Server.create({ config, secrets: readSecrets(raw), logger, onFatal: fatal.resolve })
    const started = await server.start()
    collectGarbage()
    terminal.print(announce(started, config))
    const what = await Promise.race([fatal.promise, stopRequested.then(() => null)])
    if (what) logger.error({ error: what.error.message, stack: what.error.stack }, FATAL_WORDS[what.cause])
    if (what?.cause === 'disk') server.markForCheck(what.error.message)
    // The exit of the process waits for its threads; one in a statement that does not end would hold it up for ever.
    if (!(await server.stop())) terminal.kill()
    return what ? FATAL_EXIT_CODES[what.cause] : 0
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

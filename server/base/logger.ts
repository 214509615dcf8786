import { pino } from 'pino'

/** Structured logging: `log.info({ queueId }, 'words')`. Callers never log secrets; `redact` is a second protection. */
export interface Logger {
  debug(fields: object, message: string): void
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
  error(fields: object, message: string): void
  child(fields: object): Logger
}

export type LogLevel = 'debug' | 'info' | 'warn' | 'error' | 'silent'

const SECRET_FIELDS = ['password', 'secret', 'token', 'key', 'api_key', 'authorization', 'cookie', 'privateKey']

/** Writes logs to standard error as JSON lines: standard output is for `--json` and the printed tour. */
export function createLogger(level: LogLevel): Logger {
  const redact = SECRET_FIELDS.flatMap((field) => [field, `*.${field}`])
  return pino(
    { level, redact, base: null, timestamp: pino.stdTimeFunctions.isoTime },
    pino.destination({ fd: 2, sync: true }),
  )
}

export const silentLogger: Logger = {
  debug: () => {},
  info: () => {},
  warn: () => {},
  error: () => {},
  child: () => silentLogger,
}

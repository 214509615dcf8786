/** What a started server says of itself: the one line of `--json`, for scripts and tests in any language. */
import type { DevCredentials } from './dev/credentials.ts'

export interface ReadyReport {
  readonly ready: true
  /** Where this very machine reaches it. */
  readonly http: string
  readonly smtp: { readonly host: string; readonly port: number }
  readonly submission: { readonly host: string; readonly port: number; readonly tls_port: number }
}

/** In dev mode with the credentials, which nothing else ever prints. */
export type FullReport = ReadyReport & Partial<DevCredentials>

export interface ListeningPorts {
  readonly http: number
  readonly smtp: number
  readonly submission: number
  readonly submissions: number
}

/** @param bind address that the listeners have; all addresses are reached by loopback's */
export function readyReport(bind: string, ports: ListeningPorts): ReadyReport {
  const host = bind === '0.0.0.0' || bind === '::' ? '127.0.0.1' : bind
  return {
    ready: true,
    http: `http://${host.includes(':') ? `[${host}]` : host}:${ports.http}`,
    smtp: { host, port: ports.smtp },
    submission: { host, port: ports.submission, tls_port: ports.submissions },
  }
}

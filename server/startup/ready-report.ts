/** The addresses of a started server: printed as one line by `--json`, for scripts and tests in any language. */
import { clientHost, urlHost } from '../config/hosting-settings.ts'

export interface ReadyReport {
  readonly ready: true
  /** Its address for clients on this machine. */
  readonly http: string
  readonly smtp: { readonly host: string; readonly port: number }
  readonly submission: { readonly host: string; readonly port: number; readonly tls_port: number }
}

export interface ListeningPorts {
  readonly http: number
  readonly smtp: number
  readonly submission: number
  readonly submissions: number
}

/** @param bind address of the listeners; those that listen on all addresses are reached by loopback */
export function readyReport(bind: string, ports: ListeningPorts): ReadyReport {
  const host = clientHost(bind)
  return {
    ready: true,
    http: `http://${urlHost(bind)}:${ports.http}`,
    smtp: { host, port: ports.smtp },
    submission: { host, port: ports.submission, tls_port: ports.submissions },
  }
}

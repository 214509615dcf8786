/** One authenticated request to a resource of JMAP over HTTP, with its response. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Principal } from '../../base/principal.ts'

export interface JmapExchange {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly principal: Principal
  /** Of the path after the resource's own, decoded. */
  readonly segments: readonly string[]
  readonly query: URLSearchParams
  readonly baseUrl: string
  /** The client's address. */
  readonly ip: string
}

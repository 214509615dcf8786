/** Bodies of requests that anybody may send, and may send slowly. */
import { BodyReader } from '../base/http/request-body.ts'
import { HTTP_RETRY_AFTER_SECONDS } from '../base/limits.ts'
import { PUBLIC_MAX_RECEIVING_BYTES } from '../base/public-page-limits.ts'
import { problem } from '../http/problem.ts'

/** @param drain octets of a refused body that are read before the connection ends */
export function publicBodies(drain: number): BodyReader {
  const busy = () =>
    problem(503, 'The server is receiving too much at present.', { 'Retry-After': String(HTTP_RETRY_AFTER_SECONDS) })
  return new BodyReader({ all: { octets: PUBLIC_MAX_RECEIVING_BYTES, busy }, drain })
}

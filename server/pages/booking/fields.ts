/** The fields of a request's body: a form, or a JSON object. */
import type { IncomingMessage } from 'node:http'
import { BOOKING_BODY_MAX_BYTES } from '../../base/booking-limits.ts'
import { readMediaType } from '../../base/http/request-fields.ts'
import { problem } from '../../http/problem.ts'
import { publicBodies } from '../public-bodies.ts'

const reader = publicBodies(BOOKING_BODY_MAX_BYTES)

/** The value of a field; undefined: there is none. @throws HttpProblem 413, 415, 422 */
export async function readFields(request: IncomingMessage): Promise<(name: string) => unknown> {
  const { type, isUtf8 } = readMediaType(request.headers['content-type'] ?? '')
  const isJson = type === 'application/json'
  if (!isUtf8 || (!isJson && type !== 'application/x-www-form-urlencoded'))
    throw problem(415, 'Send application/json or application/x-www-form-urlencoded.')
  const body = await reader.read(request, BOOKING_BODY_MAX_BYTES, () => problem(413, 'The request is too large.'))
  if (!isJson) {
    const form = new URLSearchParams(body.toString())
    return (name) => form.get(name) ?? undefined
  }
  const object = parse(body.toString())
  if (typeof object !== 'object' || object === null || Array.isArray(object))
    throw problem(422, 'The body is not a JSON object.')
  return (name) => (Object.hasOwn(object, name) ? (object as Record<string, unknown>)[name] : undefined)
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

/**
 * If-Match on PATCH, PUT and DELETE (decision D31, RFC 9110 13.1.1): the resource must be unchanged since the client read it. It is
 * read again, and its tag compared; the write then demands the states in which it was read. A state is that of all objects of a type,
 * so a change of another object makes both be done again.
 */

import { isObject } from '../../jmap/protocol/json-object.ts'
import type { JsonObject } from '../../server/base/json.ts'
import { IF_MATCH_TRIES } from '../../server/base/limits.ts'
import type { Principal } from '../../server/base/principal.ts'
import { type CoreDoor, JmapClient } from '../calls/jmap-client.ts'
import { ReadStates } from '../calls/read-states.ts'
import { type Endpoint, type Outcome, toText } from '../endpoint.ts'
import { ApiError } from '../errors/api-error.ts'
import { tagOf } from './respond.ts'

type Input = Parameters<Endpoint['execute']>[0]

interface Conditional {
  readonly core: CoreDoor
  readonly principal: Principal
  readonly input: Input
  /** The field If-Match. */
  readonly condition: string
}

/** @param resource reads what the endpoint changes. @throws ApiError precondition_failed */
export async function executeIfMatch(
  endpoint: Endpoint,
  resource: Endpoint,
  { core, principal, input, condition }: Conditional,
): Promise<Outcome> {
  for (let tries = 1; tries <= IF_MATCH_TRIES; tries++) {
    const states = new ReadStates()
    const jmap = new JmapClient(core, principal, { states })
    const present = await resource.execute({ ...input, query: queryOf(resource, input), body: undefined }, jmap)
    if ('file' in present || !matches(condition, tagOf(toText(present.body)))) throw new ApiError('precondition_failed')
    states.endReading()
    try {
      return await endpoint.execute(input, jmap)
    } catch (error) {
      if (!isStateMismatch(error)) throw error
    }
  }
  throw new ApiError('service_unavailable', { message: 'Too much changes at the same time; try again.' })
}

/** Parameters of the resource stand in the query or in the body of the change, such as the mailbox of an event. */
function queryOf({ query }: Endpoint, input: Input): JsonObject {
  const given = [input.body, input.query].filter(isObject)
  const names = Object.keys(query?.properties ?? {})
  return Object.fromEntries(
    names.flatMap((name) => given.flatMap((object) => (name in object ? [[name, object[name]!]] : []))),
  )
}

/** RFC 9110 13.1.1: a strong comparison, in which a weak tag equals nothing. */
function matches(condition: string, tag: string): boolean {
  const tags = condition.split(',').map((item) => item.trim())
  return tags.includes('*') || tags.includes(tag)
}

function isStateMismatch(error: unknown): boolean {
  return error instanceof ApiError && isObject(error.cause) && error.cause['type'] === 'stateMismatch'
}

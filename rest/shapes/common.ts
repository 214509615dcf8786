/** What the shapes of several resources have in common. */
import { isId } from '../../jmap/protocol/primitives.ts'
import { notFound } from '../errors/api-error.ts'
import { type Schema, string } from '../schema/schema.ts'

/** An id in an answer. @param sample as in the OpenAPI document */
export function id(sample: string, description?: string): Schema<string> {
  return string({ examples: [sample], ...(description !== undefined && { description }) })
}

/** An id that a client sent. What can be no id at all leads nowhere, as an unknown one does. @throws Problem 404 */
export function knownId(text: string, what: string): string {
  if (!isId(text)) throw notFound(what)
  return text
}

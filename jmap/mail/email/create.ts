/** Email/set create: from the properties of an email to the octets of a message (RFC 8621 4.6). Errors name the property at fault. */

import { MIME_MAX_HEADER_BYTES } from '../../../server/base/limits.ts'
import { generateMessage } from '../../message/generate.ts'
import { headerFault } from '../../message/header-size.ts'
import { invalidProperties, type SetError, tooLarge } from '../../protocol/errors.ts'
import type { MethodContext } from '../../type/context.ts'
import type { CreateOf } from '../../type/derived.ts'
import { readBody } from './create-body.ts'
import { readHeaderProperties } from './create-headers.ts'
import type { Email } from './email.type.ts'
import { emailWithOctets, type PreparedEmail } from './store-email.ts'

/** Octets of a message beside its attachments, which base64 makes 1.37 times as long. */
const BESIDE_ATTACHMENTS = 1_000_000

export async function prepareEmail(
  method: MethodContext,
  input: CreateOf<typeof Email>,
): Promise<{ readonly prepared: PreparedEmail; readonly bytes: Uint8Array } | { readonly error: SetError }> {
  const headers = readHeaderProperties(method, input)
  if ('error' in headers) return headers
  const body = await readBody(method, input)
  if ('error' in body) return body
  const generated = generateMessage({ headers: headers.specs, body: body.spec })
  if (generated.error) {
    const { type, at, description } = generated.error
    const property = type === 'invalidPart' ? body.propertyAt(generated.error) : headers.propertyOf(at)!
    return { error: invalidProperties([property], description) }
  }
  const maxBytes = method.services.limits.maxSizeAttachmentsPerEmail * 1.4 + BESIDE_ATTACHMENTS
  if (generated.bytes.length > maxBytes) return { error: tooLarge(Math.floor(maxBytes)) }
  const fault = headerFault(generated.bytes)
  if (fault !== null) return { error: tooLarge(MIME_MAX_HEADER_BYTES, fault) }
  const { email, bytes } = await emailWithOctets(method.services, generated.bytes)
  return { prepared: email, bytes }
}

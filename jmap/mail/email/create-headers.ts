/** Email/set create: header fields, from the properties of an email and of its body parts (RFC 8621 4.1.3, 4.6). */
import { randomUUID } from 'node:crypto'
import type { Json, JsonObject } from '../../../server/base/json.ts'
import { formatDate } from '../../message/date.ts'
import type { HeaderSpec } from '../../message/header-encoding.ts'
import { type HeaderForm, isFormAllowed, parseHeaderProperty } from '../../message/header-forms.ts'
import { invalidProperties, type SetError } from '../../protocol/errors.ts'
import { isObject } from '../../protocol/json-object.ts'
import { escapeToken } from '../../protocol/pointer.ts'
import type { MethodContext } from '../../type/context.ts'
import type { CreateOf } from '../../type/derived.ts'
import { type Flag, type Property, p } from '../../type/property.ts'
import { faultOf } from '../../type/validate.ts'
import type { Email } from './email.type.ts'
import { EmailAddress } from './email-address.ts'

/** Convenience properties and their fields (RFC 8621 4.1.3). */
const FIELD_OF: { readonly [property: string]: { name: string; form: HeaderForm } } = {
  from: { name: 'From', form: 'Addresses' },
  sender: { name: 'Sender', form: 'Addresses' },
  replyTo: { name: 'Reply-To', form: 'Addresses' },
  to: { name: 'To', form: 'Addresses' },
  cc: { name: 'Cc', form: 'Addresses' },
  bcc: { name: 'Bcc', form: 'Addresses' },
  subject: { name: 'Subject', form: 'Text' },
  sentAt: { name: 'Date', form: 'Date' },
  messageId: { name: 'Message-ID', form: 'MessageIds' },
  inReplyTo: { name: 'In-Reply-To', form: 'MessageIds' },
  references: { name: 'References', form: 'MessageIds' },
}

export interface HeaderSpecs {
  readonly specs: readonly HeaderSpec[]
  /** The property that set a field. */
  propertyOf(field: string): string | undefined
}

/** The fields of the message's own header, with those that every message has (RFC 8621 4.6: Message-ID and Date). */
export function readHeaderProperties(
  method: MethodContext,
  input: CreateOf<typeof Email>,
): HeaderSpecs | { readonly error: SetError } {
  const properties = new Map<string, string>()
  const wrong: string[] = []
  const specs: HeaderSpec[] = []
  for (const [property, value] of Object.entries(input)) {
    if (value === null) continue
    const read = readField(property, value)
    if (read === undefined) continue
    const name = read?.name.toLowerCase() ?? ''
    // RFC 8621 4.6: one property for each field; Content-* fields belong to the body parts.
    if (read === null || properties.has(name) || name.startsWith('content-')) wrong.push(property)
    else {
      specs.push(...read.specs)
      properties.set(name, property)
    }
  }
  // RFC 8621 4.6: the root part must not set a field that the email defines.
  const ofRoot = fieldsOf(input.bodyStructure)
  for (const [name, property] of ofRoot) if (properties.has(name)) wrong.push(`bodyStructure/${escapeToken(property)}`)
  if (wrong.length > 0) return { error: invalidProperties(wrong, 'A header field cannot be set so.') }
  const has = (name: string) => properties.has(name) || ofRoot.has(name)
  if (!has('date')) specs.unshift({ name: 'Date', form: 'Raw', value: ` ${formatDate(method.services.clock.now())}` })
  if (!has('message-id')) specs.push({ name: 'Message-ID', form: 'MessageIds', value: [newMessageId(method, input)] })
  return { specs, propertyOf: (name) => properties.get(name.toLowerCase()) }
}

/** RFC 5322 3.6.4: unique, with the author's domain. */
function newMessageId(method: MethodContext, input: CreateOf<typeof Email>): string {
  const from = input.from?.[0]?.email ?? method.account.name
  const domain = /@([a-z0-9.-]+)$/i.exec(from)?.[1] ?? 'localhost'
  return `${randomUUID()}@${domain}`
}

/** The field that a property sets: undefined for other properties, null for an invalid value. */
function readField(property: string, value: Json): { name: string; specs: HeaderSpec[] } | null | undefined {
  const known = Object.hasOwn(FIELD_OF, property) ? FIELD_OF[property]! : undefined
  if (!known && !property.startsWith('header:')) return undefined
  const header = known ? { ...known, all: false } : parseHeaderProperty(property)
  // RFC 8621 4.1.2, 4.6: not every field has every form.
  if (!header || !isFormAllowed(header.name, header.form)) return null
  const { name, form, all } = header
  const values = all ? value : [value]
  if (!Array.isArray(values)) return null
  const specs = values.map((one: Json) => headerSpec(name, form, one))
  const right = specs.filter((spec) => spec !== null)
  return right.length < specs.length ? null : { name, specs: right }
}

/** The fields that a body part sets by `header:*`, by names in lower case. */
function fieldsOf(part: Json | undefined): ReadonlyMap<string, string> {
  const properties = isObject(part) ? Object.keys(part).filter((property) => part[property] !== null) : []
  return new Map(
    properties.flatMap((property) => {
      const name = parseHeaderProperty(property)?.name.toLowerCase()
      return name === undefined ? [] : [[name, property] as const]
    }),
  )
}

/** A field of a body part, and the member that sets it. */
interface PartHeader {
  readonly member: string
  readonly spec: HeaderSpec
}

/** A member of a body part that cannot be used, and why. */
export interface MemberFault {
  readonly member: string
  readonly fault: string
}

/** The `header:*` properties of a body part, and those that cannot be set. */
export function readPartHeaders(part: JsonObject): {
  readonly specs: readonly PartHeader[]
  readonly faults: readonly MemberFault[]
} {
  const specs: PartHeader[] = []
  const faults: MemberFault[] = []
  const seen = new Set<string>()
  for (const [property, value] of Object.entries(part)) {
    if (!property.startsWith('header:') || value === null) continue
    const read = readField(property, value)
    const name = read?.name.toLowerCase() ?? ''
    // RFC 8621 4.6: the server chooses the encoding; one property for each field.
    if (!read || name === 'content-transfer-encoding' || seen.has(name)) {
      faults.push({ member: property, fault: 'cannot be set' })
      continue
    }
    seen.add(name)
    specs.push(...read.specs.map((spec) => ({ member: property, spec })))
  }
  return { specs, faults }
}

const SCHEMAS: { readonly [F in HeaderForm]: Property<unknown, Flag> } = {
  Raw: p.string(),
  Text: p.string(),
  Date: p.date(),
  MessageIds: p.list(p.string()),
  URLs: p.list(p.string()),
  Addresses: p.list(EmailAddress),
  GroupedAddresses: p.list(p.object({ name: p.string().nullable().maybe(), addresses: p.list(EmailAddress) })),
}

/** A field with a value that its form allows; null for any other value. Missing names are null. */
function headerSpec(name: string, form: HeaderForm, value: Json): HeaderSpec | null {
  if (faultOf(SCHEMAS[form], value) !== null) return null
  const named = (list: unknown) =>
    (list as { name?: string | null; email: string }[]).map((one) => ({ name: one.name ?? null, email: one.email }))
  if (form === 'Addresses') return { name, form, value: named(value) }
  if (form === 'GroupedAddresses') {
    const groups = value as unknown as readonly { name?: string; addresses: unknown }[]
    return { name, form, value: groups.map((one) => ({ name: one.name ?? null, addresses: named(one.addresses) })) }
  }
  return { name, form, value } as HeaderSpec
}

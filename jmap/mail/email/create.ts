/**
 * Email/set create: from the properties of an email to the octets of a message (RFC 8621 4.6). Everything a client may have got
 * wrong is told by the name of the property; octets of blobs are read here, before the transaction.
 */
import { isUtf8 } from 'node:buffer'
import { randomUUID } from 'node:crypto'
import type { MethodContext } from '../../context.ts'
import type { Json, JsonObject } from '../../core.ts'
import { blobNotFound, invalidProperties, type SetError, setError } from '../../protocol/errors.ts'
import { getOwn, isObject } from '../../protocol/json-object.ts'
import { isDate } from '../../protocol/primitives.ts'
import { type Property, p } from '../../type/property.ts'
import { faultOf } from '../../type/validate.ts'
import { openBlob } from '../blobs.ts'
import { type PreparedMessage, prepareMessage } from '../ingest.ts'
import { formatDate } from '../message/date.ts'
import { type BodySpec, generateMessage, type LeafSpec } from '../message/generate.ts'
import type { HeaderSpec } from '../message/header-encoding.ts'
import { type HeaderForm, isFormAllowed, parseHeaderProperty } from '../message/header-forms.ts'

type Refusal = { readonly error: SetError }

const address = p.object({ name: p.string().nullable().maybe(), email: p.string() })

/** Convenience properties and the fields they stand for (RFC 8621 4.1.3). */
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

export async function prepareEmail(
  method: MethodContext,
  input: JsonObject,
): Promise<{ prepared: PreparedMessage } | Refusal> {
  const headers = readHeaderProperties(method, input)
  if ('error' in headers) return headers
  const body = await new BodyReader(method, input).read()
  if ('error' in body) return body
  const generated = generateMessage({ headers: headers.specs, body: body.spec })
  if (generated.error) {
    const { at, description } = generated.error
    return { error: invalidProperties([headers.propertyOf(at) ?? 'bodyStructure'], description) }
  }
  const { maxSizeAttachmentsPerEmail } = method.services.limits
  if (generated.bytes.length > maxSizeAttachmentsPerEmail * 1.4 + 1_000_000) return { error: setError('tooLarge') }
  return { prepared: await prepareMessage(method.services.store, generated.bytes) }
}

interface HeaderSpecs {
  readonly specs: HeaderSpec[]
  /** The property that set a field. */
  propertyOf(field: string): string | undefined
}

function readHeaderProperties(method: MethodContext, input: JsonObject): HeaderSpecs | Refusal {
  const specs: HeaderSpec[] = []
  const propertyOf = new Map<string, string>()
  const wrong: string[] = []
  const add = (property: string, name: string, form: HeaderForm, value: Json) => {
    const spec = headerSpec(name, form, value)
    // RFC 8621 4.6: one property for each field.
    if (!spec || propertyOf.has(name.toLowerCase())) wrong.push(property)
    else specs.push(spec)
    propertyOf.set(name.toLowerCase(), property)
  }
  for (const [property, value] of Object.entries(input)) {
    if (property === 'headers') wrong.push(property)
    const known = Object.hasOwn(FIELD_OF, property) ? FIELD_OF[property] : undefined
    if (known && value !== null) add(property, known.name, known.form, value)
    if (!property.startsWith('header:')) continue
    const header = parseHeaderProperty(property)
    // RFC 8621 4.6: Content-* fields belong to the body parts.
    if (!header || !isFormAllowed(header.name, header.form) || /^content-/i.test(header.name)) wrong.push(property)
    else if (value !== null && header.all) {
      const all = Array.isArray(value) ? value.map((one: Json) => headerSpec(header.name, header.form, one)) : [null]
      if (all.includes(null) || propertyOf.has(header.name.toLowerCase())) wrong.push(property)
      else specs.push(...(all as HeaderSpec[]))
      propertyOf.set(header.name.toLowerCase(), property)
    } else if (value !== null) add(property, header.name, header.form, value)
  }
  const sentAt = input['sentAt']
  if (typeof sentAt === 'string' && !isDate(sentAt)) wrong.push('sentAt')
  if (wrong.length > 0) return { error: invalidProperties([...new Set(wrong)]) }
  // RFC 8621 4.6: what every message has, where the client gave none.
  if (!propertyOf.has('date'))
    specs.unshift({ name: 'Date', form: 'Raw', value: ` ${formatDate(method.services.clock.now())}` } as HeaderSpec)
  if (!propertyOf.has('message-id')) {
    const from = (input['from'] as { email?: string }[] | null | undefined)?.[0]?.email
    const domain = /@([a-z0-9.-]+)$/i.exec(from ?? method.account.name)?.[1] ?? 'localhost'
    specs.push({ name: 'Message-ID', form: 'MessageIds', value: [`${randomUUID()}@${domain}`] } as HeaderSpec)
  }
  return { specs, propertyOf: (name: string) => propertyOf.get(name.toLowerCase()) }
}

const SCHEMAS: { readonly [F in HeaderForm]: Property<unknown> } = {
  Raw: p.string(),
  Text: p.string(),
  Date: p.date(),
  MessageIds: p.list(p.string()),
  URLs: p.list(p.string()),
  Addresses: p.list(address),
  GroupedAddresses: p.list(p.object({ name: p.string().nullable().maybe(), addresses: p.list(address) })),
}

/** A field with a value that its form allows; null for any other value. Names that were left out are null. */
function headerSpec(name: string, form: HeaderForm, value: Json): HeaderSpec | null {
  if (faultOf(SCHEMAS[form], value) !== null) return null
  const named = (list: unknown) =>
    (list as { name?: string | null; email: string }[]).map((one) => ({ name: one.name ?? null, email: one.email }))
  if (form === 'Addresses') return { name, form, value: named(value) } as HeaderSpec
  if (form === 'GroupedAddresses') {
    const groups = (value as { name?: string; addresses: JsonObject[] }[]).map((group) => ({
      name: group.name ?? null,
      addresses: named(group.addresses),
    }))
    return { name, form, value: groups } as HeaderSpec
  }
  return { name, form, value } as HeaderSpec
}

/** The body: bodyStructure, or textBody, htmlBody and attachments, over bodyValues and blobs. */
class BodyReader {
  readonly #method: MethodContext
  readonly #input: JsonObject
  readonly #wrong = new Set<string>()
  readonly #missing: string[] = []
  #description = ''
  #size = 0

  constructor(method: MethodContext, input: JsonObject) {
    this.#method = method
    this.#input = input
  }

  async read(): Promise<{ spec: BodySpec } | Refusal> {
    const spec = await this.#body()
    if (this.#missing.length > 0) return { error: blobNotFound([...new Set(this.#missing)]) }
    if (this.#wrong.size > 0 || !spec)
      return { error: invalidProperties([...this.#wrong], this.#description || undefined) }
    if (this.#size > this.#method.services.limits.maxSizeAttachmentsPerEmail) return { error: setError('tooLarge') }
    return { spec }
  }

  async #body(): Promise<BodySpec | null> {
    const { bodyStructure, textBody, htmlBody, attachments } = this.#input
    if (isObject(bodyStructure)) {
      // RFC 8621 4.6: one way or the other.
      for (const name of ['textBody', 'htmlBody', 'attachments'])
        if (this.#input[name] !== undefined) this.#refuse(name, 'goes not together with bodyStructure')
      return this.#part('bodyStructure', bodyStructure)
    }
    const text = await this.#only('textBody', textBody, 'text/plain')
    const html = await this.#only('htmlBody', htmlBody, 'text/html')
    const others: BodySpec[] = []
    for (const part of (attachments ?? []) as readonly Json[]) {
      const spec = isObject(part) ? await this.#part('attachments', part, 'attachment') : null
      if (spec) others.push(spec)
    }
    const versions = [text, html].filter((part) => part !== null)
    if (versions.length === 0) versions.push({ type: 'text/plain', content: { text: '' } })
    const inline = html ? others.filter((part) => part.cid && part.disposition === 'inline') : []
    const rest = others.filter((part) => !inline.includes(part))
    return wrap('multipart/mixed', [
      wrap('multipart/related', [wrap('multipart/alternative', versions), ...inline]),
      ...rest,
    ])
  }

  /** RFC 8621 4.6: textBody and htmlBody hold exactly one part of their type. */
  async #only(name: string, list: Json | undefined, type: string): Promise<LeafSpec | null> {
    if (list === undefined) return null
    const parts = list as readonly Json[]
    const [part] = parts
    if (
      parts.length !== 1 ||
      !isObject(part) ||
      (part['type'] !== undefined && part['type'] !== null && part['type'] !== type)
    ) {
      this.#refuse(name, `holds exactly one part of type ${type}`)
      return null
    }
    return (await this.#part(name, { ...part, type })) as LeafSpec | null
  }

  async #part(at: string, part: JsonObject, disposition: string | null = null): Promise<BodySpec | null> {
    const own = this.#fields(at, part, disposition)
    if (!own) return null
    const subParts = getOwn(part, 'subParts')
    if (Array.isArray(subParts) || own.type.startsWith('multipart/')) {
      const specs: BodySpec[] = []
      for (const sub of (subParts ?? []) as readonly Json[]) {
        const spec = isObject(sub) ? await this.#part(at, sub) : null
        if (spec) specs.push(spec)
      }
      if (!own.type.startsWith('multipart/')) return this.#refuse(at, 'only a multipart has subParts')
      return { ...own, subParts: specs }
    }
    const content = await this.#content(at, part)
    return content && { ...own, content }
  }

  #fields(at: string, part: JsonObject, disposition: string | null) {
    const text = (name: string) => {
      const value = getOwn(part, name)
      if (value === undefined || value === null) return null
      if (typeof value === 'string') return value
      this.#refuse(at, `${name} is a string`)
      return null
    }
    const headers: HeaderSpec[] = []
    for (const [name, value] of Object.entries(part)) {
      if (name === 'headers') return this.#refuse(at, 'headers cannot be set as a list')
      if (!name.startsWith('header:') || value === null) continue
      const header = parseHeaderProperty(name)
      if (
        !header ||
        header.all ||
        !isFormAllowed(header.name, header.form) ||
        /^content-transfer-encoding$/i.test(header.name)
      )
        return this.#refuse(at, `${name} cannot be set`)
      const spec = headerSpec(header.name, header.form, value)
      if (!spec) return this.#refuse(at, `${name} has a value of another form`)
      headers.push(spec)
    }
    const language = getOwn(part, 'language')
    return {
      type: (text('type') ?? (getOwn(part, 'subParts') ? 'multipart/mixed' : 'text/plain')).toLowerCase(),
      disposition: text('disposition') ?? disposition,
      name: text('name'),
      cid: text('cid'),
      location: text('location'),
      language: Array.isArray(language) ? (language as string[]) : null,
      headers,
    }
  }

  async #content(at: string, part: JsonObject): Promise<LeafSpec['content'] | null> {
    const partId = getOwn(part, 'partId')
    const blobId = getOwn(part, 'blobId')
    if ((typeof partId === 'string') === (typeof blobId === 'string'))
      return this.#refuse(at, 'a part has either partId or blobId')
    if (typeof partId === 'string') return this.#value(at, part, partId)
    const resolved = this.#method.request.createdIds.resolveId(blobId as string)
    const id = 'unknown' in resolved ? (blobId as string) : resolved.value
    const blob = await openBlob(
      this.#method.services,
      this.#method.request.principal.credential,
      this.#method.account.number,
      id,
    )
    if (!blob) {
      this.#missing.push(blobId as string)
      return null
    }
    this.#size += blob.size
    const bytes = await blob.read()
    const charset = getOwn(part, 'charset')
    const isText = /^text\//i.test(String(getOwn(part, 'type') ?? 'text/plain'))
    return { bytes, charset: typeof charset === 'string' ? charset : isText && isUtf8(bytes) ? 'utf-8' : null }
  }

  #value(at: string, part: JsonObject, partId: string): LeafSpec['content'] | null {
    // RFC 8621 4.6: size and charset follow from the value.
    for (const name of ['charset', 'size'])
      if (getOwn(part, name) != null) return this.#refuse(at, `${name} goes not together with partId`)
    const values = this.#input['bodyValues']
    const value = isObject(values) ? getOwn(values, partId) : undefined
    if (!isObject(value) || typeof value['value'] !== 'string')
      return this.#refuse('bodyValues', `no value for the part ${partId.slice(0, 100)}`)
    // RFC 8621 4.6: what the client has only in part, or wrongly decoded, cannot become a message.
    if (value['isEncodingProblem'] === true || value['isTruncated'] === true)
      return this.#refuse('bodyValues', 'isEncodingProblem and isTruncated are false')
    return { text: value['value'] }
  }

  #refuse(property: string, description: string): null {
    this.#wrong.add(property)
    this.#description ||= `${property}: ${description}.`
    return null
  }
}

function wrap(type: string, parts: BodySpec[]): BodySpec {
  return parts.length === 1 ? parts[0]! : { type, subParts: parts }
}

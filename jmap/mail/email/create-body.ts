/**
 * Email/set create: the body, from bodyStructure, or from textBody, htmlBody and attachments, with bodyValues and blobs (RFC 8621 4.6).
 * Octets of blobs are read here, before the transaction. A fault is named by its path: `attachments/1/blobId`.
 */
import { isUtf8 } from 'node:buffer'
import type { Json, JsonObject } from '../../../server/base/json.ts'
import type { BodySpec, GenerateError, LeafSpec } from '../../message/generate.ts'
import { parseHeaderProperty } from '../../message/header-forms.ts'
import { blobNotFound, invalidProperties, type SetError, tooLarge } from '../../protocol/errors.ts'
import { getOwn, isObject } from '../../protocol/json-object.ts'
import { escapeToken } from '../../protocol/pointer.ts'
import type { MethodContext } from '../../type/context.ts'
import type { CreateOf } from '../../type/derived.ts'
import { openBlob } from '../blob/blobs.ts'
import { type PartFields, readPartFields } from './create-part-fields.ts'
import type { Email } from './email.type.ts'

export interface ReadBody {
  readonly spec: BodySpec
  /** Path in the client's properties of a part that could not be written. */
  propertyAt(error: GenerateError): string
}

export async function readBody(
  method: MethodContext,
  input: CreateOf<typeof Email>,
): Promise<ReadBody | { readonly error: SetError }> {
  return new BodyReader(method, input).read()
}

/** The properties of a part by default. */
interface Implicit {
  readonly type?: string
  readonly disposition?: string | null
}

class BodyReader {
  readonly #method: MethodContext
  readonly #input: CreateOf<typeof Email>
  readonly #wrong = new Set<string>()
  readonly #missing = new Set<string>()
  readonly #origins = new Map<BodySpec, { readonly at: string; readonly part: JsonObject }>()
  #description = ''
  /** Octets of blobs. */
  #size = 0

  constructor(method: MethodContext, input: CreateOf<typeof Email>) {
    this.#method = method
    this.#input = input
  }

  async read(): Promise<ReadBody | { readonly error: SetError }> {
    const spec = await this.#body()
    const { maxSizeAttachmentsPerEmail } = this.#method.services.limits
    // RFC 8620 5.3: a more specific error takes precedence over invalidProperties.
    if (this.#missing.size > 0) return { error: blobNotFound([...this.#missing]) }
    if (this.#size > maxSizeAttachmentsPerEmail) return { error: tooLarge(maxSizeAttachmentsPerEmail) }
    if (spec && this.#wrong.size === 0) return { spec, propertyAt: (error) => this.#propertyAt(spec, error) }
    return { error: invalidProperties([...this.#wrong], this.#description || undefined) }
  }

  async #body(): Promise<BodySpec | null> {
    const { bodyStructure, textBody, htmlBody, attachments } = this.#input
    if (isObject(bodyStructure)) {
      // RFC 8621 4.6: either bodyStructure or the three lists.
      for (const name of ['textBody', 'htmlBody', 'attachments'] as const)
        if (this.#input[name] !== undefined) this.#refuse(name, 'goes not together with bodyStructure')
      return this.#part('bodyStructure', bodyStructure)
    }
    const text = await this.#only('textBody', textBody, 'text/plain')
    const html = await this.#only('htmlBody', htmlBody, 'text/html')
    const others: BodySpec[] = []
    for (const [i, part] of (attachments ?? []).entries()) {
      const spec = await this.#part(`attachments/${i}`, part, { disposition: 'attachment' })
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
  async #only(name: string, list: readonly JsonObject[] | undefined, type: string): Promise<LeafSpec | null> {
    if (list === undefined) return null
    const [part, ...more] = list
    if (!part || more.length > 0) return this.#refuse(name, `holds exactly one part of type ${type}`)
    const spec = await this.#part(`${name}/0`, part, { type })
    if (!spec || (spec.type === type && 'content' in spec)) return spec as LeafSpec | null
    return this.#refuse(`${name}/0/type`, `is ${type}`)
  }

  #propertyAt(root: BodySpec, { at: path, member, field }: GenerateError): string {
    let spec: BodySpec | undefined = root
    for (const index of path.split('/subParts/').slice(1))
      spec = spec && 'subParts' in spec ? spec.subParts[Number(index)] : undefined
    const origin = spec && this.#origins.get(spec)
    if (!origin) return 'bodyStructure'
    return `${origin.at}/${member ?? escapeToken(headerPropertyOf(origin.part, field!))}`
  }

  async #part(at: string, part: JsonObject, implicit: Implicit = {}): Promise<BodySpec | null> {
    const spec = await this.#partSpec(at, part, implicit)
    if (spec) this.#origins.set(spec, { at, part })
    return spec
  }

  async #partSpec(
    at: string,
    part: JsonObject,
    { type = 'text/plain', disposition = null }: Implicit,
  ): Promise<BodySpec | null> {
    const read = readPartFields(part, type)
    for (const { member, fault } of read.faults) this.#refuse(`${at}/${escapeToken(member)}`, fault)
    const own: PartFields = { ...read.fields, disposition: read.fields.disposition ?? disposition }
    const subParts = getOwn(part, 'subParts')
    if (Array.isArray(subParts) || own.type.startsWith('multipart/')) {
      if (!own.type.startsWith('multipart/')) return this.#refuse(`${at}/subParts`, 'only a multipart has them')
      return this.#multipart(at, part, own, (subParts ?? []) as readonly Json[])
    }
    const content = await this.#content(at, part, own.type, read.charset)
    return content && { ...own, content }
  }

  async #multipart(at: string, part: JsonObject, own: PartFields, subParts: readonly Json[]): Promise<BodySpec | null> {
    // RFC 8621 4.1.4: a part with parts has no content of its own.
    for (const name of ['partId', 'blobId'])
      if (getOwn(part, name) != null) this.#refuse(`${at}/${name}`, 'a multipart has none')
    // RFC 2046 5.1.5: in a digest, the default type of a part is a message.
    const implicit = own.type === 'multipart/digest' ? { type: 'message/rfc822' } : {}
    const specs: BodySpec[] = []
    for (const [i, sub] of subParts.entries()) {
      const place = `${at}/subParts/${i}`
      const spec = isObject(sub) ? await this.#part(place, sub, implicit) : this.#refuse(place, 'a part is an object')
      if (spec) specs.push(spec)
    }
    return { ...own, subParts: specs }
  }

  async #content(
    at: string,
    part: JsonObject,
    type: string,
    charset: string | null,
  ): Promise<LeafSpec['content'] | null> {
    const partId = getOwn(part, 'partId') ?? null
    const blobId = getOwn(part, 'blobId') ?? null
    // RFC 8621 4.6: either partId or blobId.
    if (typeof partId === 'string' && blobId === null) return this.#value(at, part, partId)
    if (typeof blobId !== 'string' || partId !== null)
      return this.#refuse(blobId === null ? `${at}/partId` : `${at}/blobId`, 'a part has either partId or blobId')
    const { services, request, account } = this.#method
    const id = this.#method.resolveId(blobId)
    const blob = await openBlob(services, request.principal.credential, account.number, id)
    if (!blob) {
      this.#missing.add(blobId)
      return null
    }
    this.#size += blob.size
    // A blob that is too large is not read: read() refuses it.
    if (this.#size > this.#method.services.limits.maxSizeAttachmentsPerEmail) return null
    const bytes = await blob.read()
    return { bytes, charset: charset ?? (type.startsWith('text/') && isUtf8(bytes) ? 'utf-8' : null) }
  }

  #value(at: string, part: JsonObject, partId: string): LeafSpec['content'] | null {
    // RFC 8621 4.6: size and charset follow from the value.
    for (const name of ['charset', 'size'])
      if (getOwn(part, name) != null) this.#refuse(`${at}/${name}`, 'goes not together with partId')
    const value = getOwn(this.#input.bodyValues ?? {}, partId)
    if (!isObject(value)) return this.#refuse('bodyValues', `no value for the part ${partId.slice(0, 100)}`)
    const { value: text, isEncodingProblem, isTruncated } = value
    const place = `bodyValues/${escapeToken(partId)}`
    // RFC 8621 4.6: a truncated or wrongly decoded value cannot become a message.
    for (const [flag, given] of Object.entries({ isEncodingProblem, isTruncated }))
      if ((given ?? false) !== false) this.#refuse(`${place}/${flag}`, 'is false or left out')
    return typeof text === 'string' ? { text } : this.#refuse(`${place}/value`, 'is a string')
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

/** The `header:*` property with which a part sets a field. */
function headerPropertyOf(part: JsonObject, field: string): string {
  const isOf = (property: string) => parseHeaderProperty(property)?.name.toLowerCase() === field.toLowerCase()
  return Object.keys(part).find(isOf) ?? `header:${field}`
}

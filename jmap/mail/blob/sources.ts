/** The sources of a blob in Blob/upload: RFC 9404 4.1 (DataSourceObject). Ambiguous sources are refused. */
import type { Json, JsonObject } from '../../../server/base/json.ts'
import { BLOB_MAX_DATA_SOURCES } from '../../../server/base/limits.ts'
import { blobNotFound, invalidProperties, type SetError, tooLarge } from '../../protocol/errors.ts'
import { getOwn, isObject } from '../../protocol/json-object.ts'
import { isUnsignedInt } from '../../protocol/primitives.ts'
import type { MethodContext } from '../../type/context.ts'
import { type OpenBlob, openBlob } from './blobs.ts'

/** Sources that are not read yet, so that a blob that is too large is refused before. */
export interface Sources {
  readonly size: number
  read(): Promise<Uint8Array>
}

type Source = { readonly bytes: Buffer } | { readonly blob: OpenBlob; readonly start: number; readonly end: number }

export async function openSources(method: MethodContext, data: Json): Promise<Sources | { readonly error: SetError }> {
  const { maxSizeUpload } = method.services.limits
  if (!Array.isArray(data)) return refusal('data is an array.')
  if (data.length > BLOB_MAX_DATA_SOURCES) return refusal(`data has at most ${BLOB_MAX_DATA_SOURCES} sources.`)
  const sources: Source[] = []
  let size = 0
  for (const [index, item] of data.entries()) {
    const source = await openSource(method, item, index)
    if ('error' in source) return source
    sources.push(source)
    size += 'bytes' in source ? source.bytes.length : source.end - source.start
    if (size > maxSizeUpload) return { error: tooLarge(maxSizeUpload) }
  }
  return {
    size,
    async read() {
      const parts: Uint8Array[] = []
      for (const source of sources) parts.push('bytes' in source ? source.bytes : await readRange(source))
      return Buffer.concat(parts, size)
    },
  }
}

async function readRange({ blob, start, end }: Extract<Source, { blob: OpenBlob }>): Promise<Uint8Array> {
  return start < end ? blob.read({ start, end }) : new Uint8Array()
}

const KINDS = ['data:asText', 'data:asBase64', 'blobId'] as const
const RANGE = ['offset', 'length'] as const

async function openSource(
  method: MethodContext,
  source: Json,
  index: number,
): Promise<Source | { readonly error: SetError }> {
  const refuse = (fault: string) => refusal(`data[${index}] ${fault}.`)
  if (!isObject(source)) return refuse('is no object')
  const given = Object.keys(source).filter((name) => source[name] !== null)
  const unknown = given.find((name) => ![...KINDS, ...RANGE].includes(name as 'blobId'))
  if (unknown !== undefined) return refuse('has a property that is not known')
  const [kind, ...others] = KINDS.filter((name) => given.includes(name))
  if (kind === undefined || others.length > 0) return refuse(`has exactly one of ${KINDS.join(', ')}`)
  const value = source[kind]
  if (typeof value !== 'string') return refuse(`has a ${kind} that is no string`)
  if (kind === 'blobId') return openRange(method, source, value, refuse)
  if (RANGE.some((name) => given.includes(name))) return refuse(`has a range, which goes with blobId only`)
  if (kind === 'data:asText') return value.isWellFormed() ? { bytes: Buffer.from(value) } : refuse('is not valid UTF-8')
  // RFC 4648 4, with the padding that 3.2 demands.
  if (value.length % 4 !== 0 || !/^[A-Za-z0-9+/]*={0,2}$/.test(value)) return refuse('is not valid base64')
  return { bytes: Buffer.from(value, 'base64') }
}

async function openRange(
  method: MethodContext,
  source: JsonObject,
  given: string,
  refuse: (fault: string) => { readonly error: SetError },
): Promise<Source | { readonly error: SetError }> {
  const { services, request, account } = method
  const id = method.resolveId(given)
  const blob = await openBlob(services, request.principal.credential, account.number, id)
  if (!blob) return { error: blobNotFound([given]) }
  const offset = getOwn(source, 'offset') ?? 0
  if (!isUnsignedInt(offset)) return refuse('has an offset that is no UnsignedInt')
  const length = getOwn(source, 'length') ?? blob.size - offset
  // RFC 9404 4.1: the blob does not have the whole range.
  if (!isInRange(length) || offset > blob.size || offset + length > blob.size)
    return refuse('has a range that is not all within the blob')
  return { blob, start: offset, end: offset + length }
}

function isInRange(length: Json): length is number {
  return isUnsignedInt(length)
}

function refusal(description: string): { readonly error: SetError } {
  return { error: invalidProperties(['data'], description) }
}

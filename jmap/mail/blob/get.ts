/** Blob/get: RFC 9404 4.2: octets of blobs, or their digests, in a response. */
import { isUtf8 } from 'node:buffer'
import { freeWhole } from '../../../server/base/free-memory.ts'
import type { Json, JsonObject } from '../../../server/base/json.ts'
import { BLOB_DIGEST_MAX_BYTES, BLOB_GET_MAX_BYTES } from '../../../server/base/limits.ts'
import { hashInTurns } from '../../../server/base/turns.ts'
import { asBuffer } from '../../message/charset.ts'
import { invalidArguments, MethodError } from '../../protocol/errors.ts'
import { quote } from '../../protocol/json-object.ts'
import type { MethodContext } from '../../type/context.ts'
import { defineMethod } from '../../type/method.ts'
import { type ArgumentsOf, p } from '../../type/property.ts'
import { BLOB } from './blob-capability.ts'
import { type OpenBlob, openBlob } from './blobs.ts'
import { DIGESTS } from './digests.ts'

const DATA = ['data', 'data:asText', 'data:asBase64']
const FLAGS = ['isEncodingProblem', 'isTruncated']
const DIGEST = /^digest:(.*)$/s

const BLOB_GET_ARGS = {
  ids: p.list(p.string()),
  properties: p.list(p.string()).nullable().defaults(null),
  offset: p.uint().nullable().defaults(null),
  length: p.uint().nullable().defaults(null),
}

export const blobGetMethod = defineMethod({
  name: 'Blob/get',
  capability: BLOB,
  accounts: 'mailbox',
  scope: 'messages:read',
  writes: false,
  weight: 'much',
  args: BLOB_GET_ARGS,
  run: runGet,
})

interface Selection {
  readonly properties: readonly string[]
  readonly offset: number
  readonly length: number | null
}

async function runGet(method: MethodContext, args: ArgumentsOf<typeof BLOB_GET_ARGS>) {
  const { ids, properties, offset, length } = args
  const { maxObjectsInGet } = method.services.limits
  if (ids.length > maxObjectsInGet) throw new MethodError('requestTooLarge', `At most ${maxObjectsInGet} ids.`)
  const selection: Selection = {
    // RFC 9404 4.2: the default.
    properties: checkProperties(properties ?? ['data', 'size']),
    offset: offset ?? 0,
    length,
  }
  const { found, notFound } = await openAll(method, ids)
  requireBudget(selection, [...found.values()])
  const list: JsonObject[] = []
  for (const [id, blob] of found) {
    method.request.guard.check()
    list.push({ id, ...(await describe(blob, selection)) })
  }
  return { accountId: method.account.id, list, notFound }
}

/** @throws MethodError invalidArguments: RFC 8620 5.1; also for an algorithm that the session does not list */
function checkProperties(names: readonly string[]): readonly string[] {
  for (const name of names) {
    const algorithm = DIGEST.exec(name)?.[1]
    const isKnown =
      algorithm === undefined ? ['id', 'size', ...DATA, ...FLAGS].includes(name) : Object.hasOwn(DIGESTS, algorithm)
    if (!isKnown) throw invalidArguments(`A blob has no property '${quote(name)}'.`, ['properties'])
  }
  return [...new Set(names)]
}

async function openAll(method: MethodContext, ids: readonly string[]) {
  const { services, request, account } = method
  const found = new Map<string, OpenBlob>()
  const notFound = new Set<string>()
  for (const given of ids) {
    const id = method.resolveId(given)
    const blob = await openBlob(services, request.principal.credential, account.number, id)
    if (blob) found.set(id, blob)
    else notFound.add(id)
  }
  return { found, notFound: [...notFound] }
}

/** All octets of one call are held in memory and in the response. @throws MethodError requestTooLarge */
function requireBudget(selection: Selection, blobs: readonly OpenBlob[]): void {
  if (!selection.properties.some((name) => DATA.includes(name) || DIGEST.test(name) || FLAGS.includes(name))) return
  const limit = selection.properties.some((name) => DATA.includes(name)) ? BLOB_GET_MAX_BYTES : BLOB_DIGEST_MAX_BYTES
  const wanted = blobs.reduce((sum, blob) => sum + selected(blob, selection).octets, 0)
  if (wanted > limit) throw new MethodError('requestTooLarge', `At most ${limit} octets: ask for ranges.`)
}

/** RFC 9404 4.2: the octets of the range that exist, and whether they are fewer than requested. */
function selected({ size }: OpenBlob, { offset, length }: Selection): { octets: number; isTruncated: boolean } {
  const start = Math.min(offset, size)
  const octets = Math.min(length ?? size - start, size - start)
  return { octets, isTruncated: length === null ? offset > size : offset + length > size }
}

async function describe(blob: OpenBlob, selection: Selection): Promise<JsonObject> {
  const { properties } = selection
  const { octets, isTruncated } = selected(blob, selection)
  const start = Math.min(selection.offset, blob.size)
  const needsOctets = properties.some((name) => name !== 'id' && name !== 'size' && name !== 'isTruncated')
  const bytes = asBuffer(needsOctets && octets > 0 ? await blob.read({ start, end: start + octets }) : new Uint8Array())
  const told: { [name: string]: Json; isEncodingProblem?: boolean; isTruncated?: boolean; size?: number } = {}
  // RFC 9404 4.2: `data` is text if the octets are UTF-8.
  const isText = isUtf8(bytes)
  const asText = properties.includes('data:asText') || (properties.includes('data') && isText)
  const asBase64 = properties.includes('data:asBase64') || (properties.includes('data') && !isText)
  const wantsText = properties.includes('data:asText') || properties.includes('data')
  if ((wantsText && !isText) || properties.includes('isEncodingProblem')) told.isEncodingProblem = !isText
  const readsRange = needsOctets || properties.includes('isTruncated')
  if ((readsRange && isTruncated) || properties.includes('isTruncated')) told.isTruncated = isTruncated
  if (asText) told['data:asText'] = isText ? bytes.toString('utf8') : null
  if (asBase64) told['data:asBase64'] = bytes.toString('base64')
  for (const name of properties) {
    const algorithm = DIGEST.exec(name)?.[1]
    if (algorithm !== undefined) told[name] = (await hashInTurns([bytes], DIGESTS[algorithm])).toString('base64')
  }
  freeWhole(bytes)
  if (properties.includes('size')) told.size = blob.size
  return told
}

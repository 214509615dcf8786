/**
 * Octets of an account: stores them durably before the unit of work that refers to them, and reads them whole or in part. A blob id
 * names the account's number of a blob and, for a body part, the part's number in it (RFC 8621 4.1.4: blobId).
 */

import { hash } from 'node:crypto'
import { isFailure } from '../../../server/base/errors.ts'
import { freeWhole } from '../../../server/base/free-memory.ts'
import type { IdKind } from '../../../server/base/ids.ts'
import { BLOB_INLINE_MAX_BYTES, TURN_BYTES } from '../../../server/base/limits.ts'
import { hashInTurns } from '../../../server/base/turns.ts'
import type { ByteRange } from '../../../storage/blob-store.ts'
import { requireRoom } from '../../../storage/disk-space.ts'
import type { AccountUnit, Reader, Store, Unit } from '../../../storage/ports.ts'
import { findAccountBlob, findBlob, isReferred, keepBlob, referBlob } from '../../../storage/repos/blobs.ts'
import { findStructureOfBlob } from '../../../storage/repos/emails.ts'
import type { AccountBlobTable, BlobTable } from '../../../storage/schema/tables.ts'
import { unpackStructure } from '../../message/pack.ts'
import type { MessageStructure } from '../../message/structure.ts'
import type { MethodContext, Services } from '../../type/context.ts'
import type { MessageWork } from '../../type/message-work.ts'
import { type KnownPart, type ReadRange, RememberedParts, readPart } from './part-content.ts'

export const BLOB_ID: IdKind = { idPrefix: 'blb' }

/** Octets before their unit of work: small ones are stored in the row, large ones are already durable in the blob store. */
export interface PreparedBlob {
  readonly hash: Uint8Array
  readonly size: number
  readonly data: Uint8Array | null
  readonly location: string | null
}

/**
 * Outside any transaction. When it resolves, the octets are durable, except small ones, which commit with the unit of work that refers
 * to them.
 * @throws Failure `storageFull`: promise D4
 */
export async function prepareBlob(store: Store, bytes: Uint8Array): Promise<PreparedBlob> {
  requireRoom(store, bytes.length)
  const digest = bytes.length > TURN_BYTES ? await hashInTurns([bytes]) : hash('sha256', bytes, 'buffer')
  if (bytes.length <= BLOB_INLINE_MAX_BYTES) return { hash: digest, size: bytes.length, data: bytes, location: null }
  const [location] = await store.blobs.put([{ hash: digest, bytes }])
  return { hash: digest, size: bytes.length, data: null, location: location! }
}

/** Inside a unit of work: records the content once, however many accounts refer to it. */
export async function recordBlob(unit: Unit, blob: PreparedBlob): Promise<void> {
  await keepBlob(unit.sql, { ...blob, created_at: unit.now })
}

/** Inside a unit of work: the account's number for the content. `uploader`: RFC 8620 6.1; null once something refers to it. */
export function referTo(unit: AccountUnit, blob: PreparedBlob, type: string, uploader: string | null): Promise<number> {
  return referBlob(unit, { hash: blob.hash, size: blob.size, type, uploader })
}

/** Inside a unit of work: an upload is one no more, because something refers to it from now on. */
export async function stayReferred(unit: AccountUnit, { hash, size, type }: AccountBlobTable): Promise<void> {
  await referBlob(unit, { hash, size, type, uploader: null })
}

/** Octets of one of the account's blobs; null: the account has no blob of that number. */
export async function readStored(
  store: Store,
  reader: Reader,
  account: number,
  number: number,
  range?: ByteRange,
): Promise<Uint8Array | null> {
  const reference = await findAccountBlob(reader, account, number)
  if (!reference) return null
  return readContent(store, reader, reference.hash, range)
}

async function readContent(
  store: Store,
  reader: Reader,
  digest: Uint8Array,
  range?: ByteRange,
): Promise<Uint8Array | null> {
  const blob = await findBlob(reader, digest)
  return blob && octetsOf(store, blob, range)
}

/** Octets of a blob whose row is known. */
export async function octetsOf(
  store: Store,
  { hash: digest, data, location: place }: Pick<BlobTable, 'hash' | 'data' | 'location'>,
  range?: ByteRange,
): Promise<Uint8Array> {
  if (data) return range ? data.subarray(range.start, range.end) : data
  const location = place!
  return store.blobs.read(location, range).catch(async (error: unknown) => {
    // Compaction may move octets while an older snapshot is read. It is a loss only if the present row also fails.
    const now = isFailure(error, 'corrupt') ? await store.read((fresh) => findBlob(fresh, digest)) : null
    if (!now?.location || now.location === location) throw error
    return store.blobs.read(now.location, range)
  })
}

/** The blob of a blob id, for a principal. Its octets are read on request. */
export interface OpenBlob {
  readonly number: number
  /** The part, with the messages around it; empty for the whole. */
  readonly path: readonly number[]
  readonly size: number
  readonly type: string
  /** Nothing refers to the blob yet. */
  readonly isUpload: boolean
  read(range?: ByteRange): Promise<Uint8Array>
}

/** null: the id is not a blob that this principal may read in this account (RFC 8620 6.1, 6.2). */
export async function openBlob(
  services: Services,
  credential: string,
  account: number,
  blobId: string,
): Promise<OpenBlob | null> {
  const decoded = services.ids.decode(BLOB_ID, blobId)
  if (!decoded || decoded.account !== account) return null
  const { object: number, path } = decoded
  const place = `${account}/${number}/${path.join('.')}`
  const known = path.length > 0 ? rememberedParts(services.store).get(place) : []
  const found = await services.store.read(async (reader) => {
    const reference = await findAccountBlob(reader, account, number)
    if (!reference || !(await isReadableBy(services, reader, reference, credential))) return null
    const structure = known ? null : await findStructureOfBlob(reader, account, number)
    return { reference, structure: structure === null ? null : unpackStructure(JSON.parse(structure)) }
  })
  if (!found) return null
  const whole = (range?: ByteRange) =>
    services.store.read(async (reader) => (await readContent(services.store, reader, found.reference.hash, range))!)
  const parts = known ?? (await findParts(services.messageWork, path, whole, found.structure))
  if (!parts) return null
  if (!known) rememberedParts(services.store).set(place, parts)
  const { size, type, uploader } = found.reference
  const innermost = parts.at(-1)?.part ?? { size, type }
  return {
    number,
    path,
    size: innermost.size,
    type: innermost.type,
    isUpload: uploader !== null,
    read: readThrough(services.messageWork, parts, whole),
  }
}

/** Known parts are cached as long as their store lives. */
const remembered = new WeakMap<Store, RememberedParts>()

function rememberedParts(store: Store): RememberedParts {
  const parts = remembered.get(store) ?? new RememberedParts()
  remembered.set(store, parts)
  return parts
}

/**
 * RFC 8620 6.1: only its uploaders may read an unreferenced blob; several may have uploaded the same octets. Delivered mail has no
 * uploader; the owner of the mailbox may read it after its email is destroyed.
 */
async function isReadableBy(
  { ids }: Pick<Services, 'ids'>,
  reader: Reader,
  { account, id, uploader }: AccountBlobTable,
  credential: string,
): Promise<boolean> {
  if (uploader !== null) return uploader.split(' ').includes(credential)
  return (await isReferred(reader, account, id)) || credential === ids.accountId('mailbox', account)
}

/** The parts on the path, each inside the one before; null: there is no such path. */
async function findParts(
  messageWork: MessageWork,
  path: readonly number[],
  whole: ReadRange,
  given: MessageStructure | null,
): Promise<KnownPart[] | null> {
  const parts: KnownPart[] = []
  let structure = given
  for (const step of path) {
    structure ??= await structureOf(messageWork, await readThrough(messageWork, parts, whole)())
    const part = structure.parts[step - 1]
    if (!part) return null
    parts.push({ part, marks: undefined })
    structure = null
  }
  return parts
}

async function structureOf(messageWork: MessageWork, read: Uint8Array): Promise<MessageStructure> {
  const { parsed, message } = await messageWork.parseLent(read)
  freeWhole(message)
  return parsed.structure
}

function readThrough(messageWork: MessageWork, parts: readonly KnownPart[], whole: ReadRange): ReadRange {
  return parts.reduce<ReadRange>((outer, known) => (range) => readPart(messageWork, known, outer, range), whole)
}

/** The blob id of a part of one of the account's blobs. */
export function partBlobId(method: MethodContext, blob: number, part: number): string {
  return method.id(BLOB_ID, blob, part)
}

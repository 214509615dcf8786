/**
 * Octets of an account: store them durably before the unit of work that refers to them, read them back whole or in part.
 * A blob id names the account's number of a blob, and for a body part the part's number in it (RFC 8621 4.1.4: blobId).
 */
import { hash } from 'node:crypto'
import { isFailure } from '../../server/base/errors.ts'
import { BLOB_INLINE_MAX_BYTES } from '../../server/base/limits.ts'
import type { ByteRange } from '../../storage/blob-store.ts'
import type { AccountUnit, Reader, Store, Unit } from '../../storage/ports.ts'
import { findAccountBlob, findBlob, keepBlob, referBlob } from '../../storage/repos/blobs.ts'
import { findStructureOfBlob } from '../../storage/repos/emails.ts'
import type { MethodContext, Services } from '../context.ts'
import { decodePartBytes } from './message/decode.ts'
import { unpackStructure } from './message/pack.ts'
import { type BodyPart, type MessageStructure, parseStructure } from './message/structure.ts'

/** Octets on their way into the database: small ones go with the row, large ones are durable in the blob store already. */
export interface PreparedBlob {
  readonly hash: Uint8Array
  readonly size: number
  readonly data: Uint8Array | null
  readonly location: string | null
}

/** Outside any transaction. Durable when it resolves, but for small blobs, which commit with what refers to them. */
export async function prepareBlob(store: Store, bytes: Uint8Array): Promise<PreparedBlob> {
  const digest = hash('sha256', bytes, 'buffer')
  if (bytes.length <= BLOB_INLINE_MAX_BYTES) return { hash: digest, size: bytes.length, data: bytes, location: null }
  const [location] = await store.blobs.put([{ hash: digest, bytes }])
  return { hash: digest, size: bytes.length, data: null, location: location! }
}

/** Inside: records the content, once per unit of work however many accounts refer to it. */
export async function recordBlob(unit: Unit, blob: PreparedBlob): Promise<void> {
  await keepBlob(unit.sql, { ...blob, created_at: unit.now })
}

/** Inside: the account's number for the content. `uploader`: RFC 8620 6.1; null once something refers to it. */
export function referTo(unit: AccountUnit, blob: PreparedBlob, type: string, uploader: string | null): Promise<number> {
  return referBlob(unit, { hash: blob.hash, size: blob.size, type, uploader })
}

/** Octets of one of the account's blobs; null when the account has none of that number. */
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
  if (!blob) return null
  if (blob.data) return range ? blob.data.subarray(range.start, range.end) : blob.data
  const location = blob.location!
  return store.blobs.read(location, range).catch(async (error: unknown) => {
    // Compaction moves octets while we read at an earlier moment: only a place that still counts is a loss.
    const now = isFailure(error, 'corrupt') ? await store.read((fresh) => findBlob(fresh, digest)) : null
    if (!now?.location || now.location === location) throw error
    return store.blobs.read(now.location, range)
  })
}

/** What a blob id leads to, for a principal: its octets come when asked for. */
export interface OpenBlob {
  readonly number: number
  /** The part of it, and of messages in it; empty for the whole. */
  readonly path: readonly number[]
  readonly size: number
  readonly type: string
  /** Nothing refers to it yet. */
  readonly isUpload: boolean
  read(range?: ByteRange): Promise<Uint8Array>
}

/** null for every id that is not a blob this principal may read in this account (RFC 8620 6.1, 6.2). */
export async function openBlob(
  services: Services,
  credential: string,
  account: number,
  blobId: string,
): Promise<OpenBlob | null> {
  const decoded = services.ids.decode('Blob', blobId)
  if (!decoded || decoded.account !== account) return null
  const { object: number, path } = decoded
  const found = await services.store.read(async (reader) => {
    const reference = await findAccountBlob(reader, account, number)
    // RFC 8620 6.1: only the uploader reads what nothing refers to yet.
    if (!reference || !isReadableBy(reference, credential)) return null
    const structure = path.length > 0 ? await findStructureOfBlob(reader, account, number) : null
    return { reference, structure }
  })
  if (!found) return null
  const whole = (range?: ByteRange) =>
    services.store.read(async (reader) => (await readContent(services.store, reader, found.reference.hash, range))!)
  const { size, type, uploader } = found.reference
  const isUpload = uploader !== null
  let opened: OpenBlob = { number, path: [], size, type, isUpload, read: whole }
  let structure = found.structure ? unpackStructure(JSON.parse(found.structure)) : null
  for (const part of path) {
    structure ??= parseStructure(await opened.read())
    const inner = openPart(structure, part, opened)
    if (!inner) return null
    opened = inner
    structure = null
  }
  return opened
}

/** Several may have uploaded the same octets: the row keeps all their credentials. */
function isReadableBy({ uploader }: { readonly uploader: string | null }, credential: string): boolean {
  return uploader === null || uploader.split(' ').includes(credential)
}

function openPart(structure: MessageStructure, part: number, outer: OpenBlob): OpenBlob | null {
  const found = structure.parts[part - 1]
  if (!found) return null
  return {
    ...outer,
    path: [...outer.path, part],
    size: found.size,
    type: found.type,
    async read(range) {
      if (isIdentity(found)) {
        const start = found.bodyStart + (range?.start ?? 0)
        const end = range ? Math.min(found.bodyStart + range.end, found.bodyEnd) : found.bodyEnd
        return outer.read({ start, end: Math.max(start, end) })
      }
      const raw = await outer.read({ start: found.bodyStart, end: found.bodyEnd })
      const decoded = decodePartBytes(raw, found, found.bodyStart)
      return range ? decoded.subarray(range.start, range.end) : decoded
    },
  }
}

/** Octets on the wire are the octets of the content: a range of them can be read without the rest. */
function isIdentity(part: BodyPart): boolean {
  return (
    part.encoding !== 'base64' && part.encoding !== 'quoted-printable' && part.size === part.bodyEnd - part.bodyStart
  )
}

/** The blob id of a part of one of the account's blobs. */
export function partBlobId(method: MethodContext, blob: number, part: number): string {
  return method.id('Blob', blob, part)
}

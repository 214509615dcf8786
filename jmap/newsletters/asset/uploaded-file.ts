/** A file that was uploaded in pieces, and is read without being in memory as a whole. */
import { createHash } from 'node:crypto'
import { ASSET_PIECE_BYTES, ASSET_PIECES_MAX } from '../../../server/base/image-limits.ts'
import { Turns } from '../../../server/base/turns.ts'
import { openBlob } from '../../mail/blob/blobs.ts'
import { type SetError, setError } from '../../protocol/errors.ts'
import type { MethodContext } from '../../type/context.ts'
import type { Octets } from '../../videos/octets.ts'

export interface Piece {
  readonly number: number
  readonly size: number
  read(range?: { start: number; end: number }): Promise<Uint8Array>
}

export interface UploadedFile extends Octets {
  readonly pieces: readonly Piece[]
  /** Media type that the uploader gave. */
  readonly declaredType: string
}

export async function openUpload(
  { services, request, account }: MethodContext,
  blobIds: readonly string[],
): Promise<UploadedFile | { readonly error: SetError }> {
  if (blobIds.length === 0 || blobIds.length > ASSET_PIECES_MAX)
    return { error: setError('invalidProperties', `A file is made of 1 to ${ASSET_PIECES_MAX} uploads.`) }
  const pieces: (Piece & { readonly type: string })[] = []
  for (const blobId of blobIds) {
    const blob = await openBlob(services, request.principal.credential, account.number, blobId)
    if (!blob || blob.path.length > 0) return { error: { ...setError('blobNotFound'), notFound: [blobId] } }
    pieces.push({ number: blob.number, size: blob.size, type: blob.type, read: (range) => blob.read(range) })
  }
  return {
    pieces,
    declaredType: pieces[0]?.type ?? '',
    size: pieces.reduce((sum, { size }) => sum + size, 0),
    read: (start, end) => readPieces(pieces, start, end),
  }
}

/** Octets of a file in pieces. */
export async function readPieces(
  pieces: readonly Pick<Piece, 'size' | 'read'>[],
  start: number,
  end: number,
): Promise<Uint8Array> {
  const parts: Uint8Array[] = []
  let at = 0
  for (const { size, read } of pieces) {
    const [from, to] = [Math.max(start, at), Math.min(end, at + size)]
    if (from < to) parts.push(await read({ start: from - at, end: to - at }))
    at += size
  }
  const [only] = parts
  return parts.length === 1 && only ? only : Buffer.concat(parts)
}

/** SHA-256, hexadecimal. Clients of JMAP send pieces of any size: each is read and hashed in parts. */
export async function checksumOf({ pieces }: UploadedFile): Promise<string> {
  const digest = createHash('sha256')
  const turns = new Turns()
  for (const { size, read } of pieces)
    for (let at = 0; at < size; at += ASSET_PIECE_BYTES) {
      digest.update(await read({ start: at, end: Math.min(size, at + ASSET_PIECE_BYTES) }))
      await turns.rest()
    }
  return digest.digest('hex')
}

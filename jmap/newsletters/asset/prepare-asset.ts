/** What is made of an uploaded file before it is stored, outside of the unit of work. */
import {
  ASSET_IMAGE_MAX_BYTES,
  ASSET_REQUEST_MAX_BYTES,
  ASSET_VIDEO_MAX_BYTES,
} from '../../../server/base/image-limits.ts'
import { findAssetByChecksum } from '../../../storage/repos/newsletter-assets.ts'
import type { NewsletterAssetTable } from '../../../storage/schema/tables.ts'
import { type AssetImage, encodeAssetImage, videoThumbnail } from '../../images/asset-image.ts'
import { imageKind } from '../../images/kinds.ts'
import { type PreparedBlob, prepareBlob } from '../../mail/blob/blobs.ts'
import { invalidProperties, type SetError, setError } from '../../protocol/errors.ts'
import type { MethodContext } from '../../type/context.ts'
import type { PrepareOutcome } from '../../type/handlers.ts'
import { looksLikeVideo, videoFacts } from '../../videos/video-facts.ts'
import { checksumOf, openUpload, type UploadedFile } from './uploaded-file.ts'

type Facts = Pick<NewsletterAssetTable, 'kind' | 'content_type' | 'width' | 'height' | 'duration_ms'>

export interface PreparedAsset {
  readonly checksum: string
  /** null: there is an asset of these octets. */
  readonly made: {
    readonly facts: Facts
    /** Octets that were encoded again, or the numbers of the uploads that stay as they are. */
    readonly media: PreparedBlob | { readonly uploads: readonly number[] }
    readonly thumbnail: PreparedBlob
    readonly thumbnailType: string
  } | null
}

interface Given {
  readonly filename: string
  readonly blobIds: readonly string[]
}

export async function prepareAsset(method: MethodContext, given: Given): Promise<PrepareOutcome<PreparedAsset>> {
  const file = await openUpload(method, given.blobIds)
  if ('error' in file) return file
  if (!hasRoom(method, file.size)) return { error: setError('rateLimit', TOO_MUCH) }
  const head = await file.read(0, Math.min(file.size, 16))
  const kind = imageKind(head) ?? looksLikeVideo(head)
  if (kind === null) return refused('it is none of JPEG, PNG, WebP, GIF, MP4, MOV and WebM')
  const isVideo = kind === 'mp4' || kind === 'webm'
  const most = isVideo ? ASSET_VIDEO_MAX_BYTES : ASSET_IMAGE_MAX_BYTES
  if (file.size > most)
    return { error: setError('tooLarge', `${isVideo ? 'A video' : 'An image'} has at most ${most} octets.`) }
  const fault = mismatch(kind, file.declaredType, given.filename)
  if (fault) return { error: fault }
  const checksum = await checksumOf(file)
  const { number } = method.account
  const known = await method.services.store.read((reader) => findAssetByChecksum(reader, number, checksum))
  if (known !== null) return { prepared: { checksum, made: null } }
  const made = isVideo ? await ofVideo(method, file) : await ofImage(method, file)
  if (made === null) return { error: setError('serverUnavailable', 'Too many images are being read. Try again.') }
  return 'fault' in made ? refused(made.fault) : { prepared: { checksum, made } }
}

const TOO_MUCH = `One request makes assets of at most ${ASSET_REQUEST_MAX_BYTES} octets. Send the others in another one.`

/** Octets of which a request has made assets. */
const used = new WeakMap<MethodContext['request'], number>()

function hasRoom({ request }: MethodContext, octets: number): boolean {
  const sum = (used.get(request) ?? 0) + octets
  if (sum > ASSET_REQUEST_MAX_BYTES) return false
  used.set(request, sum)
  return true
}

/** null: too many images are waiting. */
type Made = NonNullable<PreparedAsset['made']> | { readonly fault: string } | null

async function ofImage({ services: { store }, account }: MethodContext, file: UploadedFile): Promise<Made> {
  const encoded = await encodeAssetImage(account.number, () => file.read(0, file.size))
  if (encoded === null || 'fault' in encoded) return encoded
  const { image, thumbnail } = encoded
  return {
    facts: { kind: 'image', content_type: image.type, width: image.width, height: image.height, duration_ms: null },
    media: await prepareBlob(store, image.bytes),
    ...(await keepThumbnail(store, thumbnail)),
  }
}

async function ofVideo({ services: { store, videoFrame }, account }: MethodContext, file: UploadedFile): Promise<Made> {
  const facts = await videoFacts(file)
  if ('fault' in facts) return facts
  const { type, width, height, durationSeconds } = facts
  const { number: owner } = account
  const container = type === 'video/webm' ? 'webm' : 'mov'
  const frame = await videoFrame({ owner, size: file.size, read: file.read, container })
  const thumbnail = await videoThumbnail(owner, frame)
  if (thumbnail === null || 'fault' in thumbnail) return thumbnail
  const duration_ms = durationSeconds === null ? null : Math.round(durationSeconds * 1_000)
  return {
    facts: { kind: 'video', content_type: type, width, height, duration_ms },
    media: { uploads: file.pieces.map((piece) => piece.number) },
    ...(await keepThumbnail(store, thumbnail)),
  }
}

async function keepThumbnail(store: MethodContext['services']['store'], { bytes, type }: AssetImage) {
  return { thumbnail: await prepareBlob(store, bytes), thumbnailType: type }
}

function refused(fault: string): { readonly error: SetError } {
  return { error: invalidProperties(['blobIds'], `The file cannot be used: ${fault}.`) }
}

const FAMILIES: readonly (readonly string[])[] = [
  ['jpeg', 'jpg', 'image/jpeg', 'image/jpg'],
  ['png', 'image/png'],
  ['gif', 'image/gif'],
  ['webp', 'image/webp'],
  // Cameras name one of them like the other.
  ['mp4', 'm4v', 'mov', 'video/mp4', 'video/quicktime', 'video/x-m4v'],
  ['webm', 'video/webm'],
]

/** Decision D20: what a file says it is must be what it is. Types that say nothing are taken. */
function mismatch(kind: string, declared: string, filename: string): SetError | null {
  const family = FAMILIES.find((names) => names.includes(kind))!
  const type = declared.split(';')[0]!.trim().toLowerCase()
  const isNamed = /^(?:image|video|text|audio)\/|^application\/(?!octet-stream$|x-www-form-urlencoded$)/.test(type)
  if (isNamed && !family.includes(type))
    return invalidProperties(['blobIds'], `The file is ${kind}, not ${type.slice(0, 100)}.`)
  const extension = /\.([A-Za-z0-9]{2,5})$/.exec(filename)?.[1]?.toLowerCase()
  const claims = extension === undefined ? undefined : FAMILIES.find((names) => names.includes(extension))
  return claims && claims !== family ? invalidProperties(['filename'], `The file is ${kind}, not ${extension}.`) : null
}

import { UsageGet } from '../../jmap/directory/usage.type.ts'
import type { NewsletterAsset as Asset } from '../../jmap/newsletters/asset/newsletter-asset.type.ts'
import type { SetError } from '../../jmap/protocol/errors.ts'
import type { ObjectOf } from '../../jmap/type/derived.ts'
import {
  ASSET_IMAGE_MAX_BYTES,
  ASSET_PIECE_BYTES,
  ASSET_VIDEO_MAX_BYTES,
  IMAGE_MAX_SIDE,
} from '../../server/base/image-limits.ts'
import { call, get, idsOf, onlyOne, query, set } from '../calls/jmap-calls.ts'
import type { JmapClient } from '../calls/jmap-client.ts'
import { type Context, endpoint, type Upload } from '../endpoint.ts'
import { ApiError, invalid } from '../errors/api-error.ts'
import { fromSetError } from '../errors/jmap-errors.ts'
import { OrganizationObjects } from '../pagination/organization-objects.ts'
import { cursorPage, pageQuery } from '../pagination/pages.ts'
import * as s from '../schema/schema.ts'
import { instant } from '../schema/timestamps.ts'
import { TAG } from './newsletters.ts'

const Storage = s.object({
  used_bytes: s.integer(),
  limit_bytes: s.nullable(s.integer({ description: 'Of the plan; null: no limit.' })),
})

const EXAMPLE_URL = 'https://mail.example.com/media/1.AAAAAAAAAAAAAAAA.AAAAAAAAAAAAAAAAAAAAAAAAAAA.jpg'

const shape = {
  id: s.id('nwa_aaaaaaaaaeaaaaaaaaaaipjaxmoq'),
  kind: s.oneOf(['image', 'video']),
  filename: s.string({ examples: ['may.jpg'] }),
  content_type: s.string({
    examples: ['image/jpeg'],
    description: 'By the octets. WebP images become JPEG, PNG or GIF.',
  }),
  size_bytes: s.integer({ description: 'Octets that are served.' }),
  checksum: s.string({
    description: 'SHA-256 of the uploaded octets.',
    examples: ['9f86d081884c7d659a2feaa0c55ad015'],
  }),
  url: s.string({ description: 'Public, and of one content for ever.', examples: [EXAMPLE_URL] }),
  image_url: s.nullable(s.string({ description: 'For an image block: `url`.' })),
  video_url: s.nullable(s.string({ description: 'For a video block: `url`.' })),
  thumbnail_url: s.nullable(s.string({ description: 'For `thumbnail_url` of a video block.' })),
  width: s.nullable(s.integer()),
  height: s.nullable(s.integer()),
  duration_seconds: s.nullable(s.number()),
  created_at: s.timestamp(),
}

const NewsletterAsset = s.resource('NewsletterAsset', 'newsletter_asset', shape)

const UploadedAsset = s.resource('UploadedNewsletterAsset', 'newsletter_asset', {
  ...shape,
  deduplicated: s.boolean('These octets were an asset already.'),
  storage: Storage,
})

function show(baseUrl: string, { path, thumbnailPath, ...asset }: ObjectOf<typeof Asset>) {
  const url = baseUrl + path
  return {
    object: 'newsletter_asset' as const,
    id: asset.id,
    kind: asset.kind,
    filename: asset.filename,
    content_type: asset.contentType,
    size_bytes: asset.sizeBytes,
    checksum: asset.checksum,
    url,
    image_url: asset.kind === 'image' ? url : null,
    video_url: asset.kind === 'video' ? url : null,
    thumbnail_url: baseUrl + thumbnailPath,
    width: asset.width,
    height: asset.height,
    duration_seconds: asset.durationSeconds,
    created_at: instant(asset.createdAt),
  }
}

function assetsOf({ baseUrl }: Pick<Context, 'baseUrl'>) {
  return new OrganizationObjects({
    type: 'NewsletterAsset',
    what: 'asset',
    show: (asset) => show(baseUrl, asset),
    codes: { invalidState: 'asset_in_use' },
  })
}

async function storageOf(jmap: JmapClient, accountId: string) {
  const { usage } = await jmap.call({ usage: call(UsageGet, { accountId }) })
  const { used, limit } = usage.newsletterMediaBytes
  return { used_bytes: used, limit_bytes: limit }
}

export const listAssets = endpoint({
  method: 'GET',
  path: '/v1/newsletter-assets',
  operationId: 'listNewsletterAssets',
  tag: TAG,
  summary: 'List the images and videos of newsletters, newest first',
  description: 'With the octets that all of them use.',
  scope: 'newsletters:read',
  wholeOrganization: true,
  query: s.object(pageQuery),
  response: cursorPage(NewsletterAsset, { storage: Storage }),
  async run(input, jmap) {
    const page = await assetsOf(input).list(input, jmap, { list: 'newsletter-assets' })
    return { ...page, storage: await storageOf(jmap, input.organization) }
  },
})

export const uploadAsset = endpoint({
  method: 'POST',
  path: '/v1/newsletter-assets',
  operationId: 'uploadNewsletterAsset',
  tag: TAG,
  summary: 'Upload an image or a video',
  description: `The body is the file: JPEG, PNG, WebP or GIF of at most ${ASSET_IMAGE_MAX_BYTES} octets, 40 megapixels and ${IMAGE_MAX_SIDE} pixels a side, MP4, MOV or WebM of at most ${ASSET_VIDEO_MAX_BYTES} octets. Images are encoded again, without their metadata; videos are served as they are, with what cameras write into them. The same octets are one asset, so a repeated upload is harmless. A JSON body names a file that is an asset already, by its URL; a video by that of its thumbnail too.`,
  scope: 'newsletters:write',
  wholeOrganization: true,
  query: s.object({
    filename: s.optional(
      s.string({ minLength: 1, maxLength: 255, description: 'Of a file in the body.', examples: ['may.jpg'] }),
    ),
  }),
  uploadLimit: ASSET_VIDEO_MAX_BYTES,
  body: s.object({
    url: s.string({ minLength: 1, maxLength: 2_048 }),
    filename: s.string({ minLength: 1, maxLength: 255 }),
    thumbnail_url: s.optional(s.nullable(s.string({ maxLength: 2_048 }))),
  }),
  bodyExample: {
    url: EXAMPLE_URL,
    filename: 'may.jpg',
  },
  status: 201,
  response: UploadedAsset,
  errors: ['quota_exceeded', 'payload_too_large', 'service_unavailable', 'rate_limit_exceeded'],
  async run(input, jmap) {
    const { organization: accountId, upload, body, query: asked, baseUrl } = input
    const { id, isKnown } = upload
      ? await store(jmap, accountId, upload, asked.filename)
      : { id: await known(jmap, accountId, body, baseUrl), isKnown: true }
    const { found } = await jmap.call({ found: get('NewsletterAsset', { accountId, ids: [id] }) })
    const storage = await storageOf(jmap, accountId)
    return { ...show(baseUrl, onlyOne(found, 'asset')), deduplicated: isKnown, storage }
  },
})

/** Octets come in pieces, each of which is durable before the next is read. */
async function store(jmap: JmapClient, accountId: string, upload: Upload, filename: string | undefined) {
  if (filename === undefined) throw invalid('filename', 'required', 'Send the name of the file.')
  const { used_bytes, limit_bytes } = await storageOf(jmap, accountId)
  // Before the file is received. It is judged again, with what is stored of it, in the unit of work.
  if (limit_bytes !== null && used_bytes + (upload.size ?? 1) > limit_bytes)
    throw new ApiError('quota_exceeded', {
      message: `${used_bytes} of ${limit_bytes} octets for media of newsletters are used.`,
    })
  const type = upload.type || 'application/octet-stream'
  const blobIds: string[] = []
  for await (const piece of upload.pieces(ASSET_PIECE_BYTES)) {
    const uploaded = await jmap.upload(accountId, type, piece)
    if (!uploaded) throw new ApiError('forbidden')
    blobIds.push(uploaded.blobId)
  }
  if (blobIds.length === 0) throw invalid(null, 'required', 'Send the octets of the file.')
  const { made } = await jmap.call({
    made: set('NewsletterAsset', { accountId, create: { new: { filename, blobIds } } }),
  })
  const id = made.created?.['new']?.id
  if (id !== undefined) return { id, isKnown: false }
  const error = made.notCreated?.['new'] as SetError
  if (error.type === 'alreadyExists' && error.existingId !== undefined) return { id: error.existingId, isKnown: true }
  throw fromSetError(error, { fields: { blobIds: null }, codes: { blobNotFound: 'service_unavailable' } })
}

interface Named {
  readonly url: string
  readonly thumbnail_url?: string | null
}

/** Decision D31: a URL of an asset of this organization. */
async function known(jmap: JmapClient, accountId: string, { url, thumbnail_url }: Named, baseUrl: string) {
  const asset = await byUrl(jmap, accountId, 'url', url, baseUrl)
  if (asset.kind === 'video') {
    if (!thumbnail_url) throw invalid('thumbnail_url', 'required', 'Send the URL of the thumbnail of the video.')
    await byUrl(jmap, accountId, 'thumbnail_url', thumbnail_url, baseUrl)
  }
  return asset.id
}

async function byUrl(jmap: JmapClient, accountId: string, field: string, url: string, baseUrl: string) {
  if (!url.startsWith(`${baseUrl}/media/`))
    throw invalid(field, 'not_allowed', 'The URL is not of the media of newsletters of this organization.')
  const path = url.slice(baseUrl.length)
  const { matching, found } = await jmap.call({
    matching: query('NewsletterAsset', { accountId, filter: { path }, limit: 1 }),
    found: get('NewsletterAsset', { accountId, '#ids': idsOf('matching', 'NewsletterAsset') }),
  })
  const [asset] = found.list
  if (!asset || matching.ids.length === 0) throw invalid(field, 'unknown_reference', 'There is no asset with this URL.')
  return asset
}

export const readAsset = endpoint({
  method: 'GET',
  path: '/v1/newsletter-assets/{asset_id}',
  operationId: 'getNewsletterAsset',
  tag: TAG,
  summary: 'Get an image or a video',
  description: 'Its facts and its public URLs, not its octets.',
  scope: 'newsletters:read',
  wholeOrganization: true,
  response: NewsletterAsset,
  errors: ['not_found'],
  run: (input, jmap) => assetsOf(input).read(jmap, input.organization, input.params.asset_id),
})

export const deleteAsset = endpoint({
  method: 'DELETE',
  path: '/v1/newsletter-assets/{asset_id}',
  operationId: 'deleteNewsletterAsset',
  resource: readAsset,
  tag: TAG,
  summary: 'Delete an image or a video',
  description:
    'Its URLs end, and its octets count no more. Not while a newsletter that uses it is scheduled or being sent.',
  scope: 'newsletters:write',
  wholeOrganization: true,
  status: 204,
  errors: ['not_found', 'asset_in_use'],
  run: (input, jmap) => assetsOf(input).destroy(jmap, input.organization, input.params.asset_id),
})

export const newsletterAssetEndpoints = [listAssets, uploadAsset, readAsset, deleteAsset]

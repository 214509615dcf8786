/** Handlers of NewsletterAsset: images and videos, each once, within the quota of the plan. */
import { ASSETS_MAX } from '../../../server/base/image-limits.ts'
import type { AccountUnit, Unit } from '../../../storage/ports.ts'
import { findAccountBlob } from '../../../storage/repos/blobs.ts'
import {
  assetUsage,
  deleteAsset,
  findAssetByChecksum,
  insertAsset,
  piecesOf,
} from '../../../storage/repos/newsletter-assets.ts'
import { findRows, type RowQuery, selectRows } from '../../../storage/repos/numbered-rows.ts'
import type { NewsletterAssetPieceTable, NewsletterAssetTable } from '../../../storage/schema/tables.ts'
import { BLOB_ID, type PreparedBlob, recordBlob, referTo, stayReferred } from '../../mail/blob/blobs.ts'
import { planOf } from '../../policy/plan.ts'
import { alreadyExists, type SetError, setError } from '../../protocol/errors.ts'
import { formatUTCDate } from '../../protocol/primitives.ts'
import type { MethodContext } from '../../type/context.ts'
import type { ObjectOf } from '../../type/derived.ts'
import type { Handlers } from '../../type/handlers.ts'
import { pick } from '../../type/methods/get.ts'
import { listResult } from '../../type/object-handlers.ts'
import { rowCondition, rowResult } from '../../type/row-query.ts'
import { newNonce } from '../../type/signed-links.ts'
import { LIMITED, mayKnowAudiences } from '../access.ts'
import { assetPath, readAssetPath } from './asset-paths.ts'
import { usedBySending } from './asset-uses.ts'
import { NewsletterAsset } from './newsletter-asset.type.ts'
import { type PreparedAsset, prepareAsset } from './prepare-asset.ts'

const every = (account: number): RowQuery => ({
  table: 'newsletter_asset',
  account,
  condition: null,
  oldestFirst: true,
})

export const newsletterAssetHandlers: Handlers<typeof NewsletterAsset, PreparedAsset> = {
  mayKnow: (method) => mayKnowAudiences(method),

  all: async ({ method, reader }, limit) =>
    mayKnowAudiences(method) ? selectRows(reader, every(method.account.number), 0, limit) : [],

  async load({ method, reader }, { numbers, properties }) {
    const { number: account } = method.account
    const rows = mayKnowAudiences(method) ? await findRows(reader, 'newsletter_asset', account, numbers) : []
    const found = new Map<number, ReturnType<typeof pick>>()
    for (const row of rows) {
      const pieces = properties.includes('blobIds') ? await piecesOf(reader, account, row.id, 'media') : []
      found.set(row.id, pick(present(method, row, pieces), properties))
    }
    return found
  },

  async query({ method, reader }, { filter, sort }) {
    if (!mayKnowAudiences(method)) return listResult([])
    const condition = rowCondition(filter, {
      beforeId: (id) => ({ kind: 'below', column: 'id', value: method.number(NewsletterAsset, id) ?? 0 }),
      path: (path) => ({ kind: 'equal', column: 'nonce', value: nonceOf(method, path) }),
    })
    const oldestFirst = sort[0]?.isAscending ?? false
    return rowResult(reader, { table: 'newsletter_asset', account: method.account.number, condition, oldestFirst })
  },

  prepareCreate: async (method, { filename, blobIds }) =>
    mayKnowAudiences(method)
      ? prepareAsset(method, { filename, blobIds: blobIds.map((id) => method.resolveId(id)) })
      : { error: LIMITED },

  async create({ method, unit, work }, { filename }, { checksum, made }) {
    const known = await findAssetByChecksum(unit, unit.account, checksum)
    if (known !== null)
      return { error: alreadyExists(method.id(NewsletterAsset, known), 'There is an asset of these octets.') }
    // The one that was found before has been deleted meanwhile.
    if (!made) return { error: setError('serverUnavailable', 'Try again.') }
    const media = await referMedia(work, unit, made)
    if (!media) return { error: setError('blobNotFound', 'An upload has expired.') }
    const thumbnail = await keep(work, unit, made.thumbnail, made.thumbnailType)
    const row: NewsletterAssetTable = {
      account: unit.account,
      id: unit.nextObject(),
      nonce: newNonce(),
      filename,
      checksum,
      ...made.facts,
      size: media.reduce((sum, { size }) => sum + size, 0),
      thumbnail_type: made.thumbnailType,
      thumbnail_size: made.thumbnail.size,
      created_at: unit.now,
    }
    const fault = await overQuota(method, unit, row)
    if (fault) return { error: fault }
    await insertAsset(unit, row, [...piecesFor(row, 'media', media), ...piecesFor(row, 'thumbnail', [thumbnail])])
    unit.change(NewsletterAsset.name, row.id, 'c')
    const { id: _id, ...serverSet } = present(method, row, media)
    return { created: { number: row.id, serverSet } }
  },

  // Every property is immutable, so only updates without a change reach this.
  update: async () => ({ updated: null }),

  async destroy({ method, unit }, number) {
    const [row] = mayKnowAudiences(method) ? await findRows(unit, 'newsletter_asset', unit.account, [number]) : []
    if (!row) return setError('notFound')
    if (await usedBySending(unit, row))
      return setError('invalidState', 'A newsletter that is scheduled or being sent uses it.')
    await deleteAsset(unit, number)
    unit.change(NewsletterAsset.name, number, 'd')
    return null
  },
}

/** Of an asset of this organization; '' of no asset. */
function nonceOf({ services, account }: MethodContext, path: string): string {
  const place = readAssetPath(services.keyring, path)
  return place?.account === account.number ? place.nonce : ''
}

interface Kept {
  readonly blob: number
  readonly size: number
}

/** null: an upload is gone. */
async function referMedia(
  work: Unit,
  unit: AccountUnit,
  { media, facts }: NonNullable<PreparedAsset['made']>,
): Promise<Kept[] | null> {
  if (!('uploads' in media)) return [await keep(work, unit, media, facts.content_type)]
  const kept: Kept[] = []
  for (const number of media.uploads) {
    const reference = await findAccountBlob(unit, unit.account, number)
    if (!reference) return null
    await stayReferred(unit, reference)
    kept.push({ blob: number, size: reference.size })
  }
  return kept
}

async function keep(work: Unit, unit: AccountUnit, blob: PreparedBlob, type: string): Promise<Kept> {
  await recordBlob(work, blob)
  return { blob: await referTo(unit, blob, type, null), size: blob.size }
}

function piecesFor(
  { account, id }: NewsletterAssetTable,
  part: NewsletterAssetPieceTable['part'],
  kept: readonly Kept[],
): NewsletterAssetPieceTable[] {
  return kept.map(({ blob, size }, number) => ({ account, asset: id, part, number, blob, size }))
}

async function overQuota(
  { services: { limits } }: MethodContext,
  unit: AccountUnit,
  { size, thumbnail_size }: NewsletterAssetTable,
): Promise<SetError | null> {
  const { count, bytes } = await assetUsage(unit, unit.account)
  if (count >= ASSETS_MAX) return setError('overQuota', `An organization has at most ${ASSETS_MAX} assets.`)
  const { plan } = await planOf(unit, limits, unit.account, unit.now)
  const limit = plan.newsletterMediaBytes
  return limit !== null && bytes + size + thumbnail_size > limit
    ? setError('overQuota', `The plan ${plan.name} has ${limit} octets for media of newsletters; ${bytes} are used.`)
    : null
}

function present(
  method: MethodContext,
  row: NewsletterAssetTable,
  pieces: readonly Pick<Kept, 'blob'>[],
): ObjectOf<typeof NewsletterAsset> {
  const { keyring } = method.services
  return {
    id: method.id(NewsletterAsset, row.id),
    blobIds: pieces.map(({ blob }) => method.id(BLOB_ID, blob)),
    filename: row.filename,
    kind: row.kind,
    contentType: row.content_type,
    sizeBytes: row.size,
    checksum: row.checksum,
    path: assetPath(keyring, row, 'media'),
    thumbnailPath: assetPath(keyring, row, 'thumbnail'),
    width: row.width,
    height: row.height,
    durationSeconds: row.duration_ms === null ? null : row.duration_ms / 1_000,
    createdAt: formatUTCDate(row.created_at),
  }
}

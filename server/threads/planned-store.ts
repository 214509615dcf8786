/** Opens the database and the blob store that a plan names. */
import type { BlobStore } from '../../storage/blob-store.ts'
import { openPacks } from '../../storage/blobs/packs.ts'
import { openS3 } from '../../storage/blobs/s3.ts'
import { openPostgres } from '../../storage/dialect/postgres.ts'
import { openSqlite } from '../../storage/dialect/sqlite.ts'
import type { Store } from '../../storage/ports.ts'
import { openStore } from '../../storage/store.ts'
import type { Clock } from '../base/clock.ts'
import type { Logger } from '../base/logger.ts'
import type { CorePlan } from './core-plan.ts'

/** `write rows`: the blob store is only read. */
export type Access = 'read' | 'write rows' | 'write'

export async function openPlannedStore(plan: CorePlan, clock: Clock, logger: Logger, access: Access): Promise<Store> {
  const blobs = await openBlobs(plan.blobs, clock, logger, access !== 'write')
  const { database } = plan
  const readOnly = access === 'read'
  try {
    const dialect =
      database.kind === 'sqlite' ? openSqlite({ file: database.file, readOnly }) : openPostgres({ url: database.url })
    return await openStore({ dialect, blobs, clock, readOnly })
  } catch (error) {
    await blobs.close()
    throw error
  }
}

async function openBlobs(
  blobs: CorePlan['blobs'],
  clock: Clock,
  logger: Logger,
  readOnly: boolean,
): Promise<BlobStore> {
  if (blobs.kind === 'disk') return openPacks({ folder: blobs.folder, readOnly, clock, logger })
  const { endpoint, bucket, region, prefix, accessKey, secretKey } = blobs
  return openS3({ endpoint, bucket, region, prefix, accessKeyId: accessKey, secretAccessKey: secretKey, clock, logger })
}

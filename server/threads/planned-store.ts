/** Opens the database and the blob store that a plan names. */
import { dirname } from 'node:path'
import type { BlobStore } from '../../storage/blob-store.ts'
import { openPacks } from '../../storage/blobs/packs.ts'
import type { Dialect } from '../../storage/dialect/dialect.ts'
import { openSqlite } from '../../storage/dialect/sqlite.ts'
import { type DiskSpace, diskSpace, ROOM_ELSEWHERE } from '../../storage/disk-space.ts'
import type { Store } from '../../storage/ports.ts'
import { openStore } from '../../storage/store.ts'
import type { Clock } from '../base/clock.ts'
import type { Logger } from '../base/logger.ts'
import { READ_GRACE_MS, READ_MS } from '../base/reading-limits.ts'
import type { CorePlan } from './core-plan.ts'

/** `scan`: only reads, much at a time. `write rows`: the blob store is only read. */
export type Access = 'read' | 'scan' | 'write rows' | 'write'

export interface PlannedStoreOptions {
  readonly clock: Clock
  readonly logger: Logger
  readonly access: Access
  /** Called when a disk has failed: nothing is written any more (promise D3). */
  readonly onDiskFault?: (error: Error) => void
}

export async function openPlannedStore(plan: CorePlan, options: PlannedStoreOptions): Promise<Store> {
  const { clock, access, onDiskFault } = options
  const space = spaceOf(plan)
  const blobs = await openBlobs(plan.blobs, options, space)
  const { database } = plan
  const readOnly = access === 'read' || access === 'scan'
  const scans = access === 'scan'
  try {
    const dialect =
      database.kind === 'sqlite'
        ? openSqlite({ file: database.file, readOnly, scans, despiteDamage: plan.despiteDamage })
        : await openPostgres(database.url, scans)
    return await openStore({ dialect, blobs, clock, space, readOnly, ...(onDiskFault && { onDiskFault }) })
  } catch (error) {
    await blobs.close()
    throw error
  }
}

// The clients of PostgreSQL and S3 load where they are used: each thread would hold them.
async function openPostgres(url: string, scans: boolean): Promise<Dialect> {
  const { openPostgres: open } = await import('../../storage/dialect/postgres.ts')
  return open({ url, ...(scans && { readMs: READ_MS + READ_GRACE_MS }) })
}

function spaceOf({ database, blobs }: CorePlan): DiskSpace {
  const folders = [
    ...(database.kind === 'sqlite' ? [dirname(database.file)] : []),
    ...(blobs.kind === 'disk' ? [blobs.folder] : []),
  ]
  return folders.length === 0 ? ROOM_ELSEWHERE : diskSpace(folders)
}

async function openBlobs(blobs: CorePlan['blobs'], options: PlannedStoreOptions, space: DiskSpace): Promise<BlobStore> {
  const { clock, logger, access, onDiskFault } = options
  if (blobs.kind === 'disk') {
    const readOnly = access !== 'write'
    return openPacks({ folder: blobs.folder, readOnly, clock, logger, space, ...(onDiskFault && { onDiskFault }) })
  }
  const { openS3 } = await import('../../storage/blobs/s3.ts')
  const { endpoint, bucket, region, prefix, accessKey, secretKey } = blobs
  return openS3({ endpoint, bucket, region, prefix, accessKeyId: accessKey, secretAccessKey: secretKey, clock, logger })
}

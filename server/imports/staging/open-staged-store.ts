/** Staged files are where blobs are: on disk in the data folder, or in S3. */
import { join } from 'node:path'
import type { Clock } from '../../base/clock.ts'
import type { Logger } from '../../base/logger.ts'
import type { Config } from '../../config/config.ts'
import type { Secrets } from '../../config/secrets.ts'
import { StagedFolder } from './staged-folder.ts'
import { StagedS3 } from './staged-s3.ts'
import type { StagedStore } from './staged-store.ts'

/** Folder in the data folder. */
const STAGED_FOLDER = 'imports'

export interface StagedHost {
  readonly clock: Clock
  readonly logger: Logger
  /** Whether so many octets may be added to the disk (promise D4). */
  readonly hasRoom: (bytes: number) => boolean
}

export function openStagedStore(
  { data, blobs }: Pick<Config, 'data' | 'blobs'>,
  { s3SecretKey }: Pick<Secrets, 's3SecretKey'>,
  { clock, logger, hasRoom }: StagedHost,
): StagedStore {
  if (blobs.kind === 'disk') return new StagedFolder(join(data, STAGED_FOLDER), hasRoom)
  const { endpoint, bucket, region, prefix, accessKey: accessKeyId } = blobs
  return new StagedS3(async () => {
    // The library of S3 stays in memory once it is loaded.
    const { S3Uploads } = await import('../../../storage/blobs/s3-uploads.ts')
    const secretAccessKey = s3SecretKey ?? ''
    return new S3Uploads({ endpoint, bucket, region, prefix, accessKeyId, secretAccessKey, clock, logger })
  })
}

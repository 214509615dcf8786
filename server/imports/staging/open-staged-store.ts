/** Staged files are where blobs are: on disk in the data folder, or in S3. */
import { join } from 'node:path'
import type { Config } from '../../config/config.ts'
import { StagedFolder } from './staged-folder.ts'
import type { StagedStore } from './staged-store.ts'

/** Folder in the data folder. */
export const STAGED_FOLDER = 'imports'

export interface StagedHost {
  /** Whether so many octets may be added to the disk (promise D4). */
  readonly hasRoom: (bytes: number) => boolean
}

export function openStagedStore({ data }: Pick<Config, 'data'>, { hasRoom }: StagedHost): StagedStore {
  return new StagedFolder(join(data, STAGED_FOLDER), hasRoom)
}

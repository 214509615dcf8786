/** The entry of the thread that takes a backup. */
import { parentPort, workerData } from 'node:worker_threads'
import { errorMessage, type FailureCode, isFailure } from '../../server/base/errors.ts'
import { type BackupOptions, type TakenBackup, takeBackup } from './take-backup.ts'

export type BackupAnswer = { readonly taken: TakenBackup } | { readonly code: FailureCode; readonly message: string }

parentPort!.postMessage(await answerOf(workerData as BackupOptions))

async function answerOf(options: BackupOptions): Promise<BackupAnswer> {
  try {
    return { taken: await takeBackup(options) }
  } catch (error) {
    return { code: isFailure(error) ? error.code : 'storageUnavailable', message: errorMessage(error) }
  }
}

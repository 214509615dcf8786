/** A backup in a thread of its own: copying a database takes one long call. This file is the caller's side and the entry of the thread. */
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads'
import { errorMessage, Failure, type FailureCode, isFailure } from '../../server/base/errors.ts'
import { type BackupOptions, type TakenBackup, takeBackup } from './take-backup.ts'

const NAME = 'backup'

type Answer = { readonly taken: TakenBackup } | { readonly code: FailureCode; readonly message: string }

/** @throws Failure as `takeBackup` does */
export async function takeBackupInThread(options: BackupOptions): Promise<TakenBackup> {
  const worker = new Worker(new URL(import.meta.url), { workerData: { [NAME]: options } })
  try {
    const answer = await new Promise<Answer>((resolve, reject) => {
      worker.once('message', resolve)
      worker.once('error', reject)
      worker.once('exit', (code) =>
        reject(new Failure('storageUnavailable', `the thread of the backup ended (${code})`)),
      )
    })
    if ('taken' in answer) return answer.taken
    throw new Failure(answer.code, answer.message)
  } finally {
    await worker.terminate()
  }
}

async function answer(options: BackupOptions): Promise<Answer> {
  try {
    return { taken: await takeBackup(options) }
  } catch (error) {
    return { code: isFailure(error) ? error.code : 'storageUnavailable', message: errorMessage(error) }
  }
}

const given = (workerData as { readonly [NAME]?: BackupOptions } | null)?.[NAME]
if (!isMainThread && given) parentPort!.postMessage(await answer(given))

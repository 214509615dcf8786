/** A backup in a thread of its own: copying a database takes one long call. */
import { Worker } from 'node:worker_threads'
import { Failure } from '../../server/base/errors.ts'
import type { BackupAnswer } from './backup-thread.ts'
import type { BackupOptions, TakenBackup } from './take-backup.ts'

/** @throws Failure as `takeBackup` does */
export async function takeBackupInThread(options: BackupOptions): Promise<TakenBackup> {
  const worker = new Worker(new URL('./backup-thread.ts', import.meta.url), { workerData: options })
  try {
    const answer = await new Promise<BackupAnswer>((resolve, reject) => {
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

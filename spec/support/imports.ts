/** Imports of files in a test: files are staged in memory, and the worker runs when the test says so. */
import { createHash } from 'node:crypto'
import type { ImportTask, TaskSource } from '../../jmap/imports/items.ts'
import { silentLogger } from '../../server/base/logger.ts'
import { FileSource } from '../../server/imports/files/file-source.ts'
import type { ImportSource } from '../../server/imports/import-source.ts'
import type { StagedFile } from '../../server/imports/staging/staged-store.ts'
import { ImportWorker } from '../../server/workers/imports/import-worker.ts'
import { keptPlaces } from '../../storage/repos/import-files.ts'
import type { TestCore, TestMailbox } from './core.ts'

/** Octets as a staged file. */
export function staged(octets: Buffer): StagedFile {
  return {
    size: octets.length,
    read: async (position, length) => octets.subarray(position, position + length),
    close: async () => {},
  }
}

export interface FilesOfTest {
  /** Octets by the name of the file. */
  readonly files: Map<string, Buffer>
  readonly worker: ImportWorker
  /** Stages files and starts an import of them. Resolves to the id of the import. */
  start(box: TestMailbox, files: { readonly [name: string]: Buffer | string }, options?: object): Promise<string>
  /** Lets the worker work until nothing is due, and resolves to the import. */
  finish(box: TestMailbox, id: string): Promise<Imported>
  get(box: TestMailbox, id: string): Promise<Imported>
}

// biome-ignore lint/suspicious/noExplicitAny: an object of JMAP, as other tests read them
export type Imported = any

/** @param around changes the source, to cut it or to slow it down */
export function importsOfTest(
  test: Pick<TestCore, 'core' | 'clock' | 'store'>,
  around: (source: ImportSource) => ImportSource = (source) => source,
): FilesOfTest {
  const { core, clock, store } = test
  const files = new Map<string, Buffer>()
  const openSource = (source: TaskSource): ImportSource => {
    if (source.type !== 'files') throw new Error('only files')
    const named = source.files.map(({ name, place }) => {
      return { name, generation: place, open: async () => staged(files.get(name)!) }
    })
    return around(new FileSource(named))
  }
  const worker = new ImportWorker({ core, clock, logger: silentLogger, openSource })
  const get = async (box: TestMailbox, id: string) => (await box.call('Import/get', { ids: [id] })).list[0]
  return {
    files,
    worker,
    get,
    async start(box, given, options = {}) {
      const fileIds: string[] = []
      for (const [name, content] of Object.entries(given)) {
        const octets = Buffer.from(content)
        files.set(name, octets)
        const create = { f: { fileName: name, size: octets.length } }
        const made = (await box.call('ImportFile/set', { create })).created.f
        const upload = await core.imports.findUpload(made.uploadUrl.split('/').at(-1))
        await core.imports.completeUpload(upload!.account, upload!.id)
        fileIds.push(made.id)
      }
      await store.read(keptPlaces)
      const create = { i: { sourceType: 'files', provider: 'generic', fileIds, ...options } }
      const answer = await box.call('Import/set', { create })
      if (!answer.created?.i) throw new Error(JSON.stringify(answer.notCreated))
      return answer.created.i.id
    },
    async finish(box, id) {
      worker.start()
      await worker.settled()
      await worker.stop()
      return get(box, id)
    },
  }
}

/** What a mailbox holds: every email with its folders by path, its keywords, its time and a digest of its octets. */
export async function contentOf(test: Pick<TestCore, 'store'>, account: number): Promise<string[]> {
  const rows = (await test.store.read(({ sql }) =>
    sql.raw(
      `select e.id, e.mailboxes, e.keywords, e.received_at, b.hash from email e
       join account_blob b on b.account = e.account and b.id = e.blob where e.account = ${account} order by e.id`,
    ),
  )) as { id: number; mailboxes: string; keywords: string; received_at: number; hash: Uint8Array }[]
  return rows.map(
    ({ id, mailboxes, keywords, received_at, hash }) =>
      `${id} ${mailboxes} ${keywords} ${received_at} ${createHash('sha256').update(hash).digest('hex').slice(0, 12)}`,
  )
}

export type { ImportTask }

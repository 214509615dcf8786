/** Opens the source of a claimed import. */
import type { TaskSource } from '../../jmap/imports/items.ts'
import { FileSource } from './files/file-source.ts'
import { type ImportSource, type OpenImapSource, SourceError } from './import-source.ts'
import type { StagedStore } from './staging/staged-store.ts'

export interface SourceOpeners {
  readonly staged: StagedStore
  /** null: this host reaches no IMAP servers. */
  readonly openImap: OpenImapSource | null
}

/** @throws SourceError `unusable` */
export function openSource({ staged, openImap }: SourceOpeners, source: TaskSource): ImportSource {
  if (source.type === 'files') {
    const files = source.files.map(({ name, size, place }) => {
      return { name, generation: place, open: () => staged.open(place, size) }
    })
    return new FileSource(files)
  }
  if (!openImap) throw new SourceError('unusable', 'This server reaches no IMAP servers.')
  return openImap(source.account)
}

/** Deletes octets of staged files that no row names any more: their import is over, nobody used them in time, or their mailbox was erased. */
import type { Core } from '../../../jmap/services.ts'
import type { StagedStore } from '../../imports/staging/staged-store.ts'

export interface StagedSweepDeps {
  readonly core: Pick<Core, 'imports'>
  readonly staged: StagedStore
}

/** Resolves to the number of deleted files; undefined: none. */
export async function sweepStaged({ core, staged }: StagedSweepDeps): Promise<{ readonly files: number } | undefined> {
  await core.imports.forgetStaged()
  // Before the rows are read: a file is written after its row.
  const stored = await staged.list()
  const used = new Set(await core.imports.placesInUse())
  const unused = stored.filter((place) => !used.has(place))
  for (const place of unused) await staged.remove(place)
  return unused.length > 0 ? { files: unused.length } : undefined
}

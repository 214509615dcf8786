/** Which mail the options of an import take (decisions D12 and D33). */
import type { Place } from './items.ts'
import { pathName, type StoredOptions } from './stored.ts'

/** The places that mail may go to; none: it is left out. Mail in spam or trash is left out of all its places. */
export function wantedPlaces(options: StoredOptions, places: readonly Place[]): Place[] {
  const { includeSpam, includeTrash, folders, excludeFolders } = options
  const isHidden = ({ role }: Place) => (role === 'junk' && !includeSpam) || (role === 'trash' && !includeTrash)
  if (places.some(isHidden)) return []
  return places.filter(({ path }) => {
    const name = pathName(path)
    return (folders === null || isWithin(name, folders)) && !isWithin(name, excludeFolders)
  })
}

function isWithin(name: string, folders: readonly string[]): boolean {
  return folders.some((folder) => name === folder || name.startsWith(`${folder}/`))
}

/** Whether a message is taken. @param receivedAt null: not known yet */
export function isWanted(
  { options, since }: { readonly options: StoredOptions; readonly since: number | null },
  places: readonly Place[],
  receivedAt: number | null,
): boolean {
  if (since !== null && receivedAt !== null && receivedAt < since) return false
  return wantedPlaces(options, places).length > 0
}

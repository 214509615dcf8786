/** Allowed imports between the rooms of a folder: imports go one way, imports of types included. */
import { importsOf, resolveImport, type SourceFile } from './source-files.ts'

export interface Room {
  /** Folders, which end in a slash, and single files. */
  readonly paths: readonly string[]
  /** Names of other rooms. */
  readonly mayImport: readonly string[]
}

type Rooms = { readonly [name: string]: Room }

/** A room may import only rooms before it. */
export const STORAGE_ROOMS: Rooms = {
  schema: { paths: ['storage/schema/'], mayImport: [] },
  ports: {
    paths: [
      'ports',
      'blob-store',
      'statement',
      'raw-query',
      'insert-row',
      'insert-rows',
      'json-recordset',
      'among-numbers',
      'state-memo',
      'not-locked',
      'account-gone',
      'disk-space',
    ].map((n) => `storage/${n}.ts`),
    mayImport: ['schema'],
  },
  blobs: { paths: ['storage/blobs/', 'storage/folder-lock.ts'], mayImport: ['ports'] },
  dialect: { paths: ['storage/dialect/'], mayImport: ['schema', 'ports'] },
  search: { paths: ['storage/search/'], mayImport: ['ports'] },
  repos: { paths: ['storage/repos/', 'storage/change-log.ts'], mayImport: ['schema', 'ports', 'search'] },
  migrations: { paths: ['storage/migrations/'], mayImport: ['dialect'] },
  units: {
    paths: ['unit-of-work', 'commit-batch', 'commit-queue', 'pending-units', 'scoped-sql', 'read-snapshot'].map(
      (name) => `storage/${name}.ts`,
    ),
    mayImport: ['schema', 'ports', 'dialect', 'repos'],
  },
  check: { paths: ['storage/check/'], mayImport: ['schema', 'ports', 'dialect', 'search', 'repos'] },
  backup: { paths: ['storage/backup/'], mayImport: ['blobs', 'repos'] },
  store: { paths: ['storage/store.ts'], mayImport: ['ports', 'dialect', 'migrations', 'units'] },
}

function roomOf(rooms: Rooms, path: string): string | null {
  const found = Object.entries(rooms).find(([, { paths }]) =>
    paths.some((own) => (own.endsWith('/') ? path.startsWith(own) : path === own)),
  )
  return found?.[0] ?? null
}

/** @param folder all of its files must be in a room, such as `storage/` */
export function roomFaults(files: readonly SourceFile[], folder: string, rooms: Rooms): string[] {
  const faults: string[] = []
  for (const { path, text } of files) {
    if (!path.startsWith(folder)) continue
    const room = roomOf(rooms, path)
    if (room === null) {
      faults.push(`${path} is in no room`)
      continue
    }
    for (const { from } of importsOf(text)) {
      const target = resolveImport(path, from)
      const other: string | null = target?.startsWith(folder) ? roomOf(rooms, target) : room
      if (other !== room && !rooms[room]!.mayImport.includes(other ?? '')) faults.push(`${path} imports ${target}`)
    }
  }
  return faults
}

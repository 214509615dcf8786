/** The rooms of mta/ lean one way: what each may import of the others, imports of types included. */
import { importsOf, resolveImport, type SourceFile } from './source-files.ts'

/** `.` stands for the files of mta/ itself, which put the rooms together. */
const MAY_IMPORT: { readonly [room: string]: readonly string[] } = {
  smtp: [],
  dns: [],
  reports: ['smtp'],
  inbound: ['smtp', 'dns', 'reports'],
  // Local delivery (inbound/local-delivery.ts) takes mail from submission and the queue too.
  submission: ['smtp', 'inbound'],
  outbound: ['smtp', 'dns', 'reports', 'inbound'],
  '.': ['smtp', 'dns', 'inbound', 'submission', 'outbound'],
}

/** The room of a module of mta/; null: it is none. */
function roomOf(path: string): string | null {
  const [top, room, ...rest] = path.split('/')
  if (top !== 'mta') return null
  return rest.length === 0 ? '.' : room!
}

export function mtaRoomFaults(files: readonly SourceFile[]): string[] {
  const faults: string[] = []
  for (const { path, text } of files) {
    const room = roomOf(path)
    if (room === null) continue
    if (!(room in MAY_IMPORT)) faults.push(`${path} is in a room without a direction`)
    for (const { from } of importsOf(text)) {
      const target = resolveImport(path, from)
      const other = target === null ? null : roomOf(target)
      if (other === null || other === room || MAY_IMPORT[room]?.includes(other)) continue
      faults.push(`${path} imports ${target}`)
    }
  }
  return faults
}

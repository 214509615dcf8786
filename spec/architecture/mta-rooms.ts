/** Allowed imports between the rooms of mta/. */
import type { Room } from './rooms.ts'

const folder = (name: string, ...mayImport: string[]): [string, Room] => [name, { paths: [`mta/${name}/`], mayImport }]

/** A room may import only rooms before it. Local delivery (in inbound) also serves submission and the queue. */
export const MTA_ROOMS: { readonly [name: string]: Room } = Object.fromEntries([
  folder('smtp'),
  folder('dns'),
  folder('reports', 'smtp'),
  folder('inbound', 'smtp', 'dns', 'reports'),
  folder('submission', 'smtp', 'inbound'),
  folder('outbound', 'smtp', 'dns', 'reports', 'inbound'),
  ['mta.ts', { paths: ['mta/mta.ts'], mayImport: ['smtp', 'dns', 'inbound', 'submission', 'outbound'] }],
])

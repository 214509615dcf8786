/** Allowed imports between the rooms of rest/. */
import type { Room } from './rooms.ts'

const folder = (name: string, ...mayImport: string[]): [string, Room] => [name, { paths: [`rest/${name}/`], mayImport }]
const file = (name: string, ...mayImport: string[]): [string, Room] => [name, { paths: [`rest/${name}`], mayImport }]

/** A room may import only rooms before it. */
export const REST_ROOMS: { readonly [name: string]: Room } = Object.fromEntries([
  folder('client'),
  folder('errors'),
  folder('schema', 'errors'),
  folder('access', 'errors', 'schema'),
  folder('calls', 'errors', 'schema', 'access'),
  folder('pagination', 'errors', 'schema', 'access', 'calls'),
  folder('shapes', 'errors', 'schema', 'calls'),
  folder('sending', 'errors', 'schema', 'calls', 'shapes'),
  folder('calendar', 'errors', 'schema', 'access', 'calls', 'pagination', 'shapes'),
  file('endpoint.ts', 'errors', 'schema', 'access', 'calls', 'pagination', 'shapes'),
  folder('openapi', 'errors', 'schema', 'shapes', 'endpoint.ts'),
  folder('idempotency', 'errors', 'calls', 'endpoint.ts'),
  folder('pipeline', 'errors', 'schema', 'access', 'calls', 'pagination', 'shapes', 'endpoint.ts', 'idempotency'),
  folder(
    'resources',
    'errors',
    'schema',
    'access',
    'calls',
    'pagination',
    'shapes',
    'sending',
    'calendar',
    'endpoint.ts',
    'openapi',
  ),
  file('endpoints.ts', 'endpoint.ts', 'resources'),
  file('executor.ts', 'access', 'pipeline', 'endpoints.ts'),
  file('rest.ts', 'access', 'openapi', 'pipeline', 'endpoints.ts'),
])

/** Allowed imports between the rooms of server/, in order from the settings to the command line. */
import type { Room } from './rooms.ts'

const folder = (name: string, ...mayImport: string[]): [string, Room] => [
  name,
  { paths: [`server/${name}/`], mayImport },
]

const file = (name: string, ...mayImport: string[]): [string, Room] => [name, { paths: [`server/${name}`], mayImport }]

/** A room may import only rooms before it. */
export const SERVER_ROOMS: { readonly [name: string]: Room } = Object.fromEntries([
  folder('base'),
  folder('config', 'base'),
  folder('startup', 'base', 'config'),
  folder('tls', 'base', 'config', 'startup'),
  folder('egress', 'base'),
  folder('conferencing', 'base', 'egress'),
  folder('imports', 'base', 'config', 'egress'),
  folder('video', 'base'),
  folder('billing', 'base', 'egress'),
  folder('registrars', 'base', 'egress'),
  folder('dns-providers', 'base', 'egress'),
  folder(
    'threads',
    'base',
    'config',
    'startup',
    'tls',
    'egress',
    ...['conferencing', 'imports', 'video', 'registrars', 'dns-providers', 'billing'],
  ),
  folder('administration', 'base'),
  folder('authentication', 'base'),
  folder('dev', 'base', 'config', 'startup', 'administration'),
  folder('workers', 'base', 'config', 'tls', 'egress', 'conferencing', 'imports'),
  folder('http', 'base', 'config'),
  folder('pages', 'base', 'imports', 'http'),
  file(
    'context.ts',
    'base',
    'config',
    'tls',
    'egress',
    'imports',
    'billing',
    'threads',
    'authentication',
    'workers',
    'http',
    'pages',
  ),
  file('server.ts', 'base', 'startup', 'dev', 'context.ts'),
  folder('cli', 'base', 'config', 'startup', 'imports', 'threads', 'administration', 'dev', 'server.ts'),
  file('main.ts', 'base', 'cli'),
  file('node-version.js'),
  file('program.js'),
  file('build-program.js', 'program.js'),
  file('posthouse.js', 'node-version.js', 'program.js'),
])

/** Allowed imports between layers, and the place of each library. */
import { importsOf, resolveImport, type SourceFile } from './source-files.ts'

/** The project's modules that a module of each layer may import. The longest matching folder names the layer. */
const MAY_IMPORT: { readonly [layer: string]: readonly string[] } = {
  'server/base': ['server/base'],
  storage: ['server/base', 'storage'],
  jmap: ['server/base', 'storage', 'jmap'],
  mta: ['server/base', 'storage', 'jmap', 'mta'],
  rest: ['server/base', 'jmap', 'rest'],
  // Its version is in package.json.
  server: ['server/base', 'storage', 'jmap', 'mta', 'rest', 'server', 'package.json'],
  scripts: ['server/base', 'storage', 'jmap', 'mta', 'rest', 'server', 'scripts', 'spec'],
}

function layerOf(path: string): string {
  return path.startsWith('server/base/') ? 'server/base' : path.split('/')[0]!
}

export function directionFaults(files: readonly SourceFile[]): string[] {
  const faults: string[] = []
  for (const { path, text } of files) {
    const allowed = MAY_IMPORT[layerOf(path)]
    for (const { from } of importsOf(text)) {
      const target = resolveImport(path, from)
      if (target !== null && !allowed?.includes(layerOf(target))) faults.push(`${path} imports ${target}`)
    }
  }
  return faults
}

/** Where each library may be imported: a folder, or one file. Every dependency has a line. Of nodemailer only the SMTP client is used. */
export const HOMES: { readonly [library: string]: readonly string[] } = {
  '@fastify/swagger-ui': ['server/pages/'],
  '@node-rs/argon2': ['jmap/directory/secrets.ts'],
  ajv: ['jmap/type/', 'rest/'],
  'better-sqlite3': ['storage/'],
  'csv-parse': ['server/base/csv.ts'],
  'csv-stringify': ['server/base/csv.ts'],
  esbuild: ['server/build-program.js'],
  express: ['server/http/', 'rest/'],
  imapflow: ['server/imports/imap/'],
  kysely: ['storage/'],
  libmime: ['jmap/message/'],
  mailauth: ['mta/'],
  mrml: ['jmap/newsletters/content/'],
  'node-cron': ['server/config/cron-schedule.ts'],
  nodemailer: ['mta/'],
  pg: ['storage/'],
  pino: ['server/base/logger.ts'],
  'role-based-email-addresses': ['jmap/newsletters/'],
  re2js: ['jmap/sieve/'],
  s3mini: ['storage/'],
  'sanitize-html': ['jmap/newsletters/content/'],
  selfsigned: ['server/tls/'],
  sharp: ['jmap/images/'],
  'smtp-server': ['mta/'],
  'libphonenumber-js': ['jmap/policy/registration/'],
  'postcode-validator': ['jmap/policy/registration/'],
  stripe: ['server/billing/'],
  tldts: ['jmap/policy/domain/'],
  undici: ['server/egress/'],
  yauzl: ['server/imports/files/'],
  ws: ['server/http/jmap/'],
  yazl: ['server/cli/transfer/'],
  rrule: ['jmap/calendars/'],
  luxon: ['jmap/calendars/'],
  'ical.js': ['jmap/calendars/'],
}

function packageOf(from: string): string | null {
  if (from.startsWith('.') || from.startsWith('node:')) return null
  return from
    .split('/')
    .slice(0, from.startsWith('@') ? 2 : 1)
    .join('/')
}

/** Scripts may measure any library alone. */
export function libraryFaults(files: readonly SourceFile[]): string[] {
  const faults: string[] = []
  for (const { path, text } of files) {
    if (path.startsWith('scripts/')) continue
    for (const { from } of importsOf(text)) {
      const library = packageOf(from)
      if (library === null) continue
      const homes = HOMES[library]
      if (!homes?.some((home) => path.startsWith(home))) faults.push(`${path} imports ${library}`)
    }
  }
  return faults
}

/** Modules that import each other in a circle, each circle once. @param types counts imports of types, which do not exist at run time */
export function cycles(files: readonly SourceFile[]): string[] {
  const edges = new Map(
    files.map(({ path, text }) => [path, importsOf(text).flatMap(({ from }) => resolveImport(path, from) ?? [])]),
  )
  const rings = new Set<string>()
  const done = new Set<string>()
  const visit = (path: string, trail: readonly string[]) => {
    const at = trail.indexOf(path)
    if (at >= 0) {
      const ring = trail.slice(at)
      const first = ring.indexOf(ring.toSorted()[0]!)
      rings.add([...ring.slice(first), ...ring.slice(0, first)].join(' -> '))
      return
    }
    if (done.has(path)) return
    for (const target of edges.get(path) ?? []) visit(target, [...trail, path])
    done.add(path)
  }
  for (const path of edges.keys()) visit(path, [])
  return [...rings]
}

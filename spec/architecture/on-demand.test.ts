/** What a server loads when it starts stays in the memory of each of its threads. Large libraries that few requests need load on demand. */
import t from 'tap'
import { importsOf, resolveImport, type SourceFile, sourceFiles } from './source-files.ts'

/** A thread each. */
const ENTRIES = ['server/server.ts', 'server/threads/writer-thread.ts', 'server/threads/reader-thread.ts']

/** The ES modules of the last three load Node's own HTTP client. */
const ON_DEMAND =
  /^(pg|s3mini|imapflow|sharp|undici|tldts|libphonenumber-js|postcode-validator|re2js|mrml|sanitize-html|libmime|mailauth|selfsigned|@fastify\/swagger-ui|smtp-server|nodemailer\/lib\/smtp-connection|node:http)(\/|$)/

/** Libraries among the static imports of a file and of all that it imports so. */
function loadedBy(entry: string, files: readonly SourceFile[]): Set<string> {
  const texts = new Map(files.map(({ path, text }) => [path, text]))
  const seen = new Set([entry])
  const libraries = new Set<string>()
  for (const path of seen) {
    // Neither import() nor the files of other threads.
    const statements = texts.get(path)!.replaceAll(/\bimport\(|\bnew URL\(/g, '(')
    for (const { from, typeOnly } of importsOf(statements)) {
      if (typeOnly) continue
      const target = resolveImport(path, from)
      if (target === null) libraries.add(from)
      else if (texts.has(target)) seen.add(target)
    }
  }
  return libraries
}

t.test('a server that starts loads no large library that few requests need', async (t) => {
  const files = sourceFiles()
  for (const entry of ENTRIES) {
    const libraries = [...loadedBy(entry, files)]
    t.ok(libraries.includes('better-sqlite3') && libraries.includes('kysely'), `${entry}: control: it loads others`)
    t.same(
      libraries.filter((name) => ON_DEMAND.test(name)),
      [],
      entry,
    )
  }
})

t.test('a static import of such a library is found, directly and in a file that is imported', async (t) => {
  const files = [
    { path: 'server/a.ts', text: "import { b } from './b.ts'\nimport type { C } from 'pg'\n" },
    { path: 'server/b.ts', text: "import { Agent } from 'undici'\nconst later = () => import('tldts')\n" },
  ]
  t.same([...loadedBy('server/a.ts', files)], ['undici'])
})

/** Writes spec/openapi.json from the endpoints; with --check only tells (by the exit code) whether it is up to date. */
import { readFileSync, writeFileSync } from 'node:fs'
import { openApiDocument } from '../rest/rest.ts'

const file = new URL('../spec/openapi.json', import.meta.url)
const text = `${JSON.stringify(openApiDocument(), null, 2)}\n`

if (!process.argv.includes('--check')) {
  writeFileSync(file, text)
} else if (readFileSync(file, 'utf8') !== text) {
  console.error('spec/openapi.json is not what the endpoints say: run `node scripts/build-openapi.ts`')
  process.exitCode = 1
}

import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import t from 'tap'

const SCRIPT = join(import.meta.dirname, '../../scripts/crash/kill.ts')

// Promise D1, at a small part of its length; scripts/crash/kill.ts runs all of it.
t.test('nothing acknowledged is lost or doubled when the server is killed twice during ingest', async (t) => {
  const { stdout } = await promisify(execFile)(process.execPath, [SCRIPT, '--kills', '2', '--messages', '300'])
  t.match(
    stdout,
    /^kill: \d{3,} acknowledged, \d+ stored \([1-9]\d* in packs\), 0 lost, 0 doubled, 0 damaged, 0 unknown;/m,
  )
  t.match(stdout, /integrity ok 3\/3; 0 faults/)
  t.match(stdout, /kill: ok/)
})

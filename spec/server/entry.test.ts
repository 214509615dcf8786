import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import t from 'tap'
import manifest from '../../package.json' with { type: 'json' }
import { PROGRAM } from '../support/posthouse.ts'

/** Runs the entry under a Node that says it is of this version. */
async function runAs(version: string): Promise<{ code: number; stdout: string; stderr: string }> {
  const pretence = `Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '${version}' } })`
  const args = ['--import', `data:text/javascript,${encodeURIComponent(pretence)}`, PROGRAM, '--version']
  const run = promisify(execFile)(process.execPath, args, { env: { ...process.env, NODE_OPTIONS: '' } })
  return run.then(
    ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
    ({ code, stdout, stderr }) => ({ code, stdout, stderr }),
  )
}

t.test('an old Node is told in words what is missing', async (t) => {
  for (const version of ['20.20.2', '22.18.0']) {
    const { code, stdout, stderr } = await runAs(version)
    t.equal(code, 1)
    t.equal(stdout, '')
    t.match(stderr, `Node 22.19 or newer is needed; this is ${version}.`)
  }
})

t.test('every version that package.json allows is taken', async (t) => {
  t.equal(manifest.engines.node, '>=22.19')
  for (const version of ['22.19.0', '23.0.0', '24.1.0']) {
    const { code, stdout } = await runAs(version)
    t.equal(code, 0, version)
    t.equal(stdout, `${manifest.version}\n`)
  }
})

import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'
import t, { type Test } from 'tap'
import type { DevCredentials } from '../../server/dev/credentials.ts'
import { tourCommands } from '../../server/dev/tour.ts'
import type { ReadyReport } from '../../server/startup/ready-report.ts'
import { FREE_PORTS, temporaryFolder } from '../support/posthouse.ts'

const ROOT = join(import.meta.dirname, '../..')

t.test('the four commands of the README work, on a fresh data folder, through npm start -- --json', async (t) => {
  const ready = await npmStart(t)
  const readme = readFileSync(join(ROOT, 'README.md'), 'utf8')
  const printed = [...readme.matchAll(/^```sh\n((?:printf|curl) .*)\n```$/gm)].map(([, command]) => command!)
  t.equal(printed.length, 4)
  const commands = printed.map((command) => withValuesOf(command, ready))
  t.same(
    commands,
    tourCommands(ready, ready).map(({ command }) => command),
    'they are the commands that the server prints',
  )
  const outputs: string[] = []
  for (const command of commands) outputs.push((await promisify(execFile)('sh', ['-c', command])).stdout)
  t.equal(outputs[0], '')
  t.match(JSON.parse(outputs[1]!), {
    object: 'inbox_messages',
    data: [{ subject: 'Hello Posthouse', preview: 'It works.' }],
  })
  t.match(JSON.parse(outputs[2]!).methodResponses[1], ['Email/get', { list: [{ subject: 'Hello Posthouse' }] }, 'g'])
  t.match(JSON.parse(outputs[3]!), {
    object: 'message',
    from_address: 'hello@example.test',
    subject: 'Re: Hello Posthouse',
  })
})

type Ready = ReadyReport & DevCredentials

/** Starts as a user does. npm writes a banner before the line of JSON. */
async function npmStart(t: Test): Promise<Ready> {
  const args = ['start', '--', '--json', `--data=${temporaryFolder(t, 'data')}`, ...FREE_PORTS]
  const npm = spawn('npm', args, { cwd: ROOT, stdio: ['ignore', 'pipe', 'ignore'] })
  const closed = once(npm, 'close')
  t.teardown(async () => {
    npm.kill('SIGTERM')
    await closed
  })
  for await (const line of createInterface({ input: npm.stdout }))
    if (line.startsWith('{')) return JSON.parse(line) as Ready
  throw new Error('npm start ended before the server was ready')
}

/** The README shows a start on the usual ports, with the credentials of that start. */
function withValuesOf(command: string, { http, smtp, mailbox, api_key }: Ready): string {
  return command
    .replaceAll('http://127.0.0.1:8080', http)
    .replaceAll('127.0.0.1:2525', `${smtp.host}:${smtp.port}`)
    .replaceAll(/mbx_[a-z2-7]+/g, mailbox.id)
    .replaceAll(/sk_[A-Za-z0-9]{40}/g, api_key)
    .replaceAll(/(?<='hello@example\.test:)[A-Za-z0-9]+/g, mailbox.password)
}

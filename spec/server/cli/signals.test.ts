/** Signals to commands, each in a process of its own. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import t from 'tap'
import { runCommand } from '../../support/command-line.ts'
import { PROGRAM, temporaryFolder } from '../../support/posthouse.ts'

t.test('a signal ends a command that has nothing to put in order', async (t) => {
  const args = ['mailboxes', 'password', 'ada@example.org', '--password-stdin', `--data=${temporaryFolder(t)}`]
  const child = spawn(process.execPath, [PROGRAM, ...args], { stdio: ['pipe', 'ignore', 'ignore'] })
  const closed = once(child, 'close')
  child.stdin.on('error', () => {})
  // It is more than a pipe holds: when all is written, the command reads.
  await new Promise((resolve) => child.stdin.write('x'.repeat(300_000), resolve))
  child.kill('SIGINT')
  child.stdin.end()
  await closed
  t.equal(child.signalCode, 'SIGINT')
})

t.test('a wrong path makes no installation', async (t) => {
  const data = temporaryFolder(t, 'none')
  for (const command of [['keys', 'list'], ['verify'], ['plan', 'show'], ['queue', 'list']]) {
    t.match(await runCommand([...command, `--data=${data}`]), { code: 1, stderr: /there is no data in .*none\n$/ })
    t.notOk(existsSync(data))
  }
  const setup = ['setup', '--organization=Example', '--mailbox=office@example.org']
  t.match(await runCommand([...setup, `--data=${data}`]), { code: 0 }, 'control: setup makes one')
})

import t from 'tap'
import { runCommand } from '../../support/command-line.ts'
import { posthouse, temporaryFolder } from '../../support/posthouse.ts'

const SETUP = ['setup', '--organization=Example', '--mailbox=office@example.org', '--json']

t.test('a mailbox gets a new password', async (t) => {
  const data = temporaryFolder(t)
  await runCommand([...SETUP, `--data=${data}`])
  const made = await runCommand(['mailboxes', 'password', 'Office@Example.org', `--data=${data}`])
  t.match(made.stdout, /^[A-Za-z0-9]{24}\n$/)
  // As a process: its standard input is a pipe.
  const given = await posthouse(['mailboxes', 'password', 'office@example.org', '--password-stdin', `--data=${data}`], {
    input: 'Chosen4myself\n',
  })
  t.equal(given.code, 0)
  t.equal(given.stdout, '', 'what was given is not repeated')
  const unknown = await runCommand(['mailboxes', 'password', 'nobody@example.org', `--data=${data}`])
  t.equal(unknown.code, 1)
  t.match(unknown.stderr, 'there is no mailbox nobody@example.org')
})

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { COMMANDS } from '../../../server/cli/commands.ts'
import { SETTING_NAMES } from '../../../server/config/settings.ts'
import { runCommand } from '../../support/command-line.ts'
import { posthouse } from '../../support/posthouse.ts'

t.test('help lists every command and every setting', async (t) => {
  const { code, stdout } = await posthouse(['--help'])
  t.equal(code, 0)
  for (const name of ['serve', 'setup', 'keys create', 'keys list', 'keys revoke', 'mailboxes password', 'verify']) {
    t.match(stdout, name)
    const help = await runCommand([...name.split(' '), '--help'])
    t.equal(help.code, 0)
    t.match(help.stdout, `Usage: posthouse ${name}`)
    for (const setting of SETTING_NAMES)
      if (name === 'serve') t.match(help.stdout, `  --${setting.replaceAll('_', '-')}`)
  }
})

t.test('the README and the page about self-hosting name every command, and no other', async (t) => {
  const { stdout } = await runCommand(['--help'])
  const listed = stdout.slice(stdout.indexOf('Commands:'), stdout.indexOf('posthouse <command> --help'))
  const commands = [...listed.matchAll(/^ {2}(\S+(?: \S+)?)(?: {2}|$)/gm)].map(([, name]) => name!).sort()
  t.ok(commands.includes('serve') && commands.includes('domains rotate-dkim'), 'control')
  const root = join(import.meta.dirname, '../../..')
  const readme = readFileSync(join(root, 'README.md'), 'utf8')
  const rows = readme.slice(readme.indexOf('| Command |')).match(/^\| `.*$/gm)!
  const inReadme = rows.flatMap((row) => [...row.split('|')[1]!.matchAll(/`([^`]+)`/g)].map(([, name]) => name!))
  t.same(inReadme.sort(), commands)
  const page = readFileSync(join(root, 'server/pages/docs/pages/self-hosting.html'), 'utf8')
  const cells = page.slice(page.indexOf('<th>Command</th>')).match(/^<tr><td>.*?<\/td>/gm)!
  const onPage = cells.flatMap((cell) => {
    const [first, ...more] = [...cell.matchAll(/<code>(?:posthouse )?([^<]+)<\/code>/g)].map(([, name]) => name!)
    // Within a row the group is named once.
    const group = first!.includes(' ') ? `${first!.split(' ')[0]} ` : ''
    return [first!, ...more.map((name) => group + name)]
  })
  t.same(onPage.sort(), commands)
})

t.test('the help of a command or of a group has the options of that command or group only', async (t) => {
  const optionsIn = (text: string) => [...new Set(text.match(/^ {2}--[a-z0-9-]+/gm))].map((line) => line.trim()).sort()
  for (const { name, options } of COMMANDS) {
    if (name === 'serve') continue
    const { code, stdout } = await runCommand([...name.split(' '), '--help'])
    t.equal(code, 0, name)
    t.same(
      optionsIn(stdout),
      Object.keys(options)
        .map((option) => `--${option}`)
        .sort(),
      name,
    )
  }
  const groups = new Set(COMMANDS.map(({ name }) => name.split(' ')).flatMap(([group, of]) => (of ? [group!] : [])))
  t.ok(groups.has('keys') && groups.has('queue'))
  for (const group of groups) {
    const own = COMMANDS.filter(({ name }) => name.startsWith(`${group} `))
    const { code, stdout } = await runCommand([group, '--help'])
    t.equal(code, 0, group)
    const wanted = own.flatMap(({ options }) => Object.keys(options).map((option) => `--${option}`))
    t.same(optionsIn(stdout), [...new Set(wanted)].sort(), group)
    for (const { name } of own) t.match(stdout, `posthouse ${name}`)
  }
  t.match(await runCommand(['keys']), { code: 2, stdout: 'Usage: posthouse keys' }, 'a group alone is no command')
})

t.test('an invalid command line has exit code 2', async (t) => {
  for (const [args, words] of [
    [[], 'Usage'],
    [['dance'], 'there is no command "dance"'],
    [['serve', '--http-prot=1'], "Unknown option '--http-prot'"],
    [['serve', 'now'], 'serve takes no argument "now"'],
    [['keys', 'create'], '--name is missing'],
    [['setup', '--organization=X', '--mailbox=x'], 'is not an address'],
  ] as const) {
    const { code, stdout, stderr } = await runCommand(args)
    t.equal(code, 2, args.join(' '))
    t.match(stdout + stderr, words)
  }
  t.match(await posthouse(['dance']), { code: 2, stdout: '', stderr: 'there is no command "dance"' }, 'as a process')
})

t.test('refused settings have exit code 1, with a message and without a stack', async (t) => {
  const { code, stderr } = await runCommand(['serve', '--dev', '--http-port=http'])
  t.equal(code, 1)
  t.match(stderr, /^posthouse: --http-port: must be a port number/)
  t.notMatch(stderr, '    at ')
})

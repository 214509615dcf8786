import { readFileSync } from 'node:fs'
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

t.test('the documentation has every command', async (t) => {
  const page = readFileSync(new URL('../../../server/pages/docs/pages/self-hosting.html', import.meta.url), 'utf8')
  const rows = page
    .split('<tr>')
    .map((row) => [...row.matchAll(/<code>(?:posthouse )?([a-z -]+)<\/code>/g)].map(([, name]) => name!))
  // A row names the first command of a group in full, and of the others the last word.
  const named = rows.flatMap(([first, ...others]) => [
    first,
    ...others.map((name) => `${first?.split(' ')[0]} ${name}`),
    ...others,
  ])
  for (const { name } of COMMANDS) t.ok(named.includes(name), name)
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

import t from 'tap'
import { COMMANDS } from '../../../server/cli/commands.ts'
import { run } from '../../../server/cli/run.ts'
import { SETTING_NAMES } from '../../../server/config/settings.ts'
import { posthouse } from '../../support/posthouse.ts'

/** The command line in this process: nothing but help is printed, so nothing is opened. */
async function helpOf(...args: readonly string[]) {
  let stdout = ''
  const print = (text: string) => {
    stdout += text
  }
  const never = new Promise<void>(() => {})
  const code = await run(args, {
    environment: {},
    print,
    printError: print,
    readInput: async () => '',
    stopRequested: never,
    kill: () => {},
  })
  return { code, stdout }
}

t.test('help lists every command and every setting', async (t) => {
  const { code, stdout } = await posthouse(['--help'])
  t.equal(code, 0)
  for (const name of ['serve', 'setup', 'keys create', 'keys list', 'keys revoke', 'mailboxes password', 'verify']) {
    t.match(stdout, name)
    const help = await posthouse([...name.split(' '), '--help'])
    t.equal(help.code, 0)
    t.match(help.stdout, `Usage: posthouse ${name}`)
    for (const setting of SETTING_NAMES)
      if (name === 'serve') t.match(help.stdout, `  --${setting.replaceAll('_', '-')}`)
  }
})

t.test('the help of a command or of a group has the options of that command or group only', async (t) => {
  const optionsIn = (text: string) => [...new Set(text.match(/^ {2}--[a-z-]+/gm))].map((line) => line.trim()).sort()
  for (const { name, options } of COMMANDS) {
    if (name === 'serve') continue
    const { code, stdout } = await helpOf(...name.split(' '), '--help')
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
    const { code, stdout } = await helpOf(group, '--help')
    t.equal(code, 0, group)
    const wanted = own.flatMap(({ options }) => Object.keys(options).map((option) => `--${option}`))
    t.same(optionsIn(stdout), [...new Set(wanted)].sort(), group)
    for (const { name } of own) t.match(stdout, `posthouse ${name}`)
  }
  t.match(await helpOf('keys'), { code: 2, stdout: 'Usage: posthouse keys' }, 'a group alone is no command')
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
    const { code, stdout, stderr } = await posthouse(args)
    t.equal(code, 2, args.join(' '))
    t.match(stdout + stderr, words)
  }
})

t.test('refused settings have exit code 1, with a message and without a stack', async (t) => {
  const { code, stderr } = await posthouse(['serve', '--dev', '--http-port=http'])
  t.equal(code, 1)
  t.match(stderr, /^posthouse: --http-port: must be a port number/)
  t.notMatch(stderr, '    at ')
})

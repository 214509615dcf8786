import t from 'tap'
import { SETTING_NAMES } from '../../../server/config/settings.ts'
import { posthouse } from '../../support/posthouse.ts'

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

import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { SYSTEM } from '../../../server/base/principal.ts'
import { withCore } from '../../../server/cli/with-core.ts'
import { runCommand } from '../../support/command-line.ts'
import type { Result } from '../../support/core.ts'
import { temporaryFolder } from '../../support/posthouse.ts'

t.test(
  'subscribers are imported from CSV with an outcome for each row, and exported so that they import again',
  async (t) => {
    const data = temporaryFolder(t)
    await runCommand(['setup', '--organization=Example', '--mailbox=office@example.org', '--json', `--data=${data}`])
    const id = await newAudience(data)
    const file = join(data, 'in.csv')
    const text = [
      '\ufeffEmail,Name,First name,merge_fields,status',
      'Ada@example.org,"Lovelace, Ada",Ada,"{""city"":""London"",""born"":1815}",unsubscribed',
      '',
      'info@example.org,,,,',
      '"=x@example.org",\'=HYPERLINK(1),,,',
      'two@example.org,too,many,,cells,here',
      'bad@example.org,,,not JSON,',
      'ada@example.org,,,,',
    ]
    writeFileSync(file, text.join('\r\n'))
    const outcomes = join(data, 'outcomes.csv')
    const run = (...args: string[]) => runCommand(['audience', ...args, `--data=${data}`])
    const imported = await run('import', id, file, `--outcomes=${outcomes}`)
    t.equal(imported.code, 0, imported.stderr)
    t.equal(imported.stdout, 'created: 2\nskipped_invalid: 3\nupdated: 1\n')
    t.match(imported.stderr, '6 rows')
    t.equal(
      readFileSync(outcomes, 'utf8'),
      "record,email_address,outcome\r\n2,ada@example.org,created\r\n3,info@example.org,skipped_invalid\r\n4,'=x@example.org,created\r\n5,,skipped_invalid\r\n6,bad@example.org,skipped_invalid\r\n7,ada@example.org,updated\r\n",
    )
    const { stdout } = await run('export', id)
    const [header, formula, ada] = stdout.split('\r\n')
    t.equal(header, 'email_address,display_name,status,merge_fields,consent_source,created_at,updated_at')
    t.match(formula, "'=x@example.org,'=HYPERLINK(1),subscribed,,Form,", 'a spreadsheet does not run it')
    t.match(
      ada,
      'ada@example.org,"Lovelace, Ada",subscribed,"{""First_name"":""Ada"",""city"":""London"",""born"":1815}",Form,',
    )
    const again = join(data, 'again.csv')
    t.equal((await run('export', id, again)).code, 0)
    const other = await newAudience(data)
    t.equal((await run('import', other, again)).stdout, 'created: 2\n')
    const comparable = (all: string) =>
      all
        .split('\r\n')
        .map((line) => line.replaceAll(/[\d-]+T[\d:.]+Z/g, ''))
        .sort()
    t.same(comparable((await run('export', other)).stdout), comparable(stdout))
  },
)

t.test('a file that cannot be imported is refused with its line', async (t) => {
  const data = temporaryFolder(t)
  await runCommand(['setup', '--organization=Example', '--mailbox=office@example.org', '--json', `--data=${data}`])
  const id = await newAudience(data)
  const refused = async (text: string) => {
    const file = join(data, 'in.csv')
    writeFileSync(file, text)
    const { code, stderr } = await runCommand(['audience', 'import', id, file, `--data=${data}`])
    t.equal(code, 1)
    return stderr
  }
  t.match(await refused('name\nAda\n'), 'no column email_address')
  t.match(await refused('email,Email\n'), 'the column Email twice')
  t.match(await refused(''), 'the file is empty')
  t.match(await refused('email\n"a@example.org\n'), 'a quote is out of place')
  t.match(await refused(`email,x\na@example.org,${'x'.repeat(200_000)}\n`), 'a record is too long')
  const missing = await runCommand(['audience', 'import', id, join(data, 'none.csv'), `--data=${data}`])
  t.match([missing.code, missing.stderr], [1, /none\.csv cannot be imported/])
  const outcomes = join(data, 'none', 'outcomes.csv')
  const unwritten = await runCommand([
    'audience',
    'import',
    id,
    join(data, 'in.csv'),
    `--outcomes=${outcomes}`,
    `--data=${data}`,
  ])
  t.match([unwritten.code, unwritten.stderr], [1, /outcomes\.csv cannot be written/])
  t.match(
    (await runCommand(['audience', 'export', 'aud_none', `--data=${data}`])).stderr,
    'there is no audience aud_none',
  )
  t.equal((await runCommand(['audience', 'import', id, `--data=${data}`])).code, 2)
})

/** Made through the core, since no command makes one. */
async function newAudience(data: string): Promise<string> {
  const terminal = { environment: { POSTHOUSE_LOG_LEVEL: 'silent' } } as never
  return withCore({ terminal, settings: { data } as never, options: {}, positionals: [] }, async ({ core, admin }) => {
    const [{ id: accountId }] = (await admin.organizations()) as unknown as [{ id: string }]
    const create = { a: { name: 'News', consentSource: 'Form' } }
    const using = ['urn:ietf:params:jmap:core', 'urn:posthouse:params:jmap:service']
    const answer = await core.process(SYSTEM, { using, methodCalls: [['Audience/set', { accountId, create }, '0']] })
    return (answer as Result).methodResponses[0][1].created.a.id
  })
}

import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { runCommand } from '../../support/command-line.ts'
import { temporaryFolder } from '../../support/posthouse.ts'

const FILE = [
  'BEGIN:VCALENDAR',
  'VERSION:2.0',
  'PRODID:-//Example//EN',
  'BEGIN:VEVENT',
  'UID:lunch',
  'DTSTAMP:20260101T000000Z',
  'DTSTART:20260302T120000Z',
  'SUMMARY:Lunch',
  'END:VEVENT',
  'END:VCALENDAR',
  '',
].join('\r\n')

t.test('calendars are imported from files and exported to files', async (t) => {
  const data = temporaryFolder(t)
  await runCommand(['setup', '--organization=Example', '--mailbox=office@example.org', '--json', `--data=${data}`])
  // Of two values of an option the last counts.
  const run = (command: string, ...args: string[]) =>
    runCommand(['calendar', command, '--mailbox=office@example.org', `--data=${data}`, ...args])
  const files = temporaryFolder(t)
  const [file, out] = [join(files, 'in.ics'), join(files, 'out.ics')]
  writeFileSync(file, FILE)
  t.same(await run('import', file), { code: 0, stdout: '1 created, 0 updated, 0 skipped, 0 failed\n', stderr: '' })
  const again = await run('import', file, '--json', '--calendar=Calendar')
  t.match(JSON.parse(again.stdout), { created: 0, updated: 0, skipped: 1, failed: 0, failures: [] })
  const printed = await run('export')
  t.match(printed, { code: 0, stdout: /^BEGIN:VCALENDAR[\s\S]*SUMMARY:Lunch[\s\S]*END:VCALENDAR\r\n$/ })
  t.match(await run('export', `--output=${out}`), { code: 0, stdout: '' })
  t.equal(readFileSync(out, 'utf8'), printed.stdout)
  t.same(readdirSync(files).sort(), ['in.ics', 'out.ics'])

  writeFileSync(file, FILE.replace('DTSTART', 'DTEND'))
  const failed = await run('import', file)
  t.match(failed, { code: 1, stdout: '0 created, 0 updated, 0 skipped, 1 failed\n', stderr: /^lunch: Line 4: / })
  writeFileSync(file, 'Dear Ada')
  const refusals: [args: string[], message: RegExp][] = [
    [['import', file], /in\.ics was not imported: The text has no VCALENDAR\.\n$/],
    [['import', join(files, 'none.ics')], /none\.ics cannot be read: ENOENT/],
    [['import', out, '--calendar=Work'], /there is no calendar "Work"; there are: "Calendar"\n$/],
    [['import', out, '--mailbox=nobody@example.org'], /there is no mailbox nobody@example\.org\n$/],
    [['export', '--calendar=Work'], /there is no calendar "Work"/],
    [['export', `--output=${join(files, 'none', 'out.ics')}`], /out\.ics cannot be written: ENOENT/],
  ]
  for (const [args, message] of refusals) {
    const [command = '', ...rest] = args
    const { code, stderr } = await run(command, ...rest)
    t.match([code, stderr], [1, message], args.join(' '))
  }
  t.notOk(existsSync(join(files, 'none')))
  t.equal((await run('import')).code, 2, 'the file is missing')
  t.match(await runCommand(['calendar', '--help']), { code: 0, stdout: /calendar import <file>/ })
})

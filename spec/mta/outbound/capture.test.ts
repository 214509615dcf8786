import { generateKeyPairSync } from 'node:crypto'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { MESSAGE, startQueue } from '../../support/outbound-queue.ts'

t.test('a captured message is in the folder, and the index has its recipients', async (t) => {
  const folder = join(t.testdir(), 'deep', 'captured')
  const { core, send } = await startQueue(t, { routing: { mode: 'capture', folder } })
  const { submissionId } = await send(['x@out.test', 'y@other.test'])
  const file = `2026-01-01T00-00-00-000Z-${submissionId}.eml`
  t.same(readdirSync(folder).sort(), [file, 'index.txt'])
  t.equal(readFileSync(join(folder, file), 'utf8'), MESSAGE)
  const line = (to: string) => `2026-01-01T00:00:00.000Z  <alice@posthouse.test> -> <${to}> | hello | ${file}`
  const [, ...lines] = readFileSync(join(folder, 'index.txt'), 'utf8').trimEnd().split('\n')
  t.same(lines, [line('x@out.test'), line('y@other.test')])
  t.match(core.reports[0], {
    retryAt: null,
    outcomes: [
      { status: 'sent', smtpReply: `250 2.0.0 Captured, not sent: ${file}`, host: 'capture' },
      { status: 'sent' },
    ],
  })
})

t.test('local mailboxes get their mail, and it is not captured', async (t) => {
  const folder = t.testdir()
  const { core, send } = await startQueue(t, { routing: { mode: 'capture', folder } })
  await send(['bob@posthouse.test'])
  t.equal(core.messages.length, 1)
  t.same(readdirSync(folder), [])
})

t.test('a captured message is signed as it would be sent', async (t) => {
  const folder = t.testdir()
  const { send } = await startQueue(t, { routing: { mode: 'capture', folder } })
  const privateKey = generateKeyPairSync('rsa', { modulusLength: 2048 })
    .privateKey.export({ type: 'pkcs8', format: 'pem' })
    .toString()
  await send(['x@out.test'], { dkim: [{ domain: 'posthouse.test', selector: 's1', algorithm: 'rsa', privateKey }] })
  const [file] = readdirSync(folder)
  t.match(readFileSync(join(folder, file!), 'utf8'), /^DKIM-Signature: .*\r\n d=posthouse\.test; s=s1;/)
})

t.test('a message that cannot be signed stays in the queue and is not written unsigned', async (t) => {
  const folder = t.testdir()
  const { core, send } = await startQueue(t, { routing: { mode: 'capture', folder } })
  await send(['x@out.test'], {
    dkim: [{ domain: 'posthouse.test', selector: 's1', algorithm: 'rsa', privateKey: 'no key' }],
  })
  t.match(core.reports[0]?.outcomes, [{ status: 'deferred', smtpReply: '451 4.7.5' }])
  t.same(readdirSync(folder), [])
})

t.test('names cannot leave the folder or break the index', async (t) => {
  const folder = t.testdir()
  const { send } = await startQueue(t, { routing: { mode: 'capture', folder } })
  await send(['x@out.test\n2026 forged'], {
    submissionId: '../../evil',
    bytes: Buffer.from('Subject: a\r\n\tb\u0085c\r\n\r\n'),
  })
  t.equal(readdirSync(folder).length, 2)
  t.equal(readFileSync(join(folder, 'index.txt'), 'utf8').trimEnd().split('\n').length, 2)
})

t.test('a folder that cannot be written to defers messages', async (t) => {
  const folder = join(t.testdir(), 'file')
  writeFileSync(folder, '')
  const { core, send } = await startQueue(t, { routing: { mode: 'capture', folder } })
  await send(['x@out.test'])
  t.match(core.reports[0]?.outcomes, [{ status: 'deferred', smtpReply: '451 4.3.0' }])
})

// `posthouse queue` on the command line, beside the data of a server.
import t from 'tap'
import { fillQueue } from '../../../scripts/bench/support/fill-queue.ts'
import { runCommand } from '../../support/command-line.ts'
import { temporaryFolder } from '../../support/posthouse.ts'

t.test('waiting mail is listed, shown, held, released, retried and deleted', async (t) => {
  const data = temporaryFolder(t)
  const at = `--data=${data}`
  const setup = await runCommand(['setup', '--organization=Example', '--mailbox=office@example.org', '--json', at])
  const { mailbox } = JSON.parse(setup.stdout)
  const message = () =>
    Buffer.from(
      'From: office@example.org\r\nDate: Thu, 01 Jan 2026 00:00:00 +0000\r\nMessage-ID: <1@example.org>\r\n\r\nx\r\n',
    )
  await fillQueue({ data, mailbox, messages: 2, message, recipients: (i) => [`ann@out${i}.example`] })
  const queue = async (...args: string[]) => runCommand(['queue', ...args, at])
  const list = async (...args: string[]) =>
    (await queue('list', '--json', ...args)).stdout
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line))

  const [first, second] = await list()
  t.match(first, { destination: 'out0.example', state: 'queued', recipients: [{ email: 'ann@out0.example' }] })
  t.match((await queue('list')).stdout, /^sbm_\S+ {2}queued {2}<office@example\.org> -> .* {2}It waits for its turn/)
  t.match((await queue('show', first.submissionId)).stdout, /ann@out0\.example/)
  t.equal((await queue('hold', first.submissionId)).code, 0)
  t.match(await list('--held'), [{ submissionId: first.submissionId }])
  t.match((await queue('release', '--held')).stdout, '1 changed')
  t.match((await queue('retry', '--destination=out1.example')).stdout, '1 changed')
  t.match((await queue('delete', second.submissionId)).stdout, '1 changed')
  t.match(await list(), [{ submissionId: first.submissionId }])
  const unknown = await queue('delete', second.submissionId)
  t.equal(unknown.code, 1, 'it is not there any more')
  t.equal((await queue('delete')).code, 2, 'all of the queue has to be said in words')
  for (const action of ['list', 'hold'])
    t.match(await queue(action, '--held', '--organization=Nobody'), {
      code: 1,
      stderr: /there is no organization "Nobody"/,
    })
})

// Promise D3: after a disk fault the process ends, and logs the reason.
import { execFileSync } from 'node:child_process'
import t from 'tap'
import { serve } from '../support/command-line.ts'
import { startPosthouse, temporaryFolder } from '../support/posthouse.ts'
import { SmtpClient } from '../support/smtp-client.ts'

const LARGE = `Subject: large\r\n\r\n${`${'x'.repeat(70)}\r\n`.repeat(70_000)}`
const SMALL = 'Subject: small\r\n\r\nsmall\r\n'

for (const writerThread of ['on', 'off']) {
  t.test(`after a failed write the server ends with code 74 (writer thread ${writerThread})`, async (t) => {
    const data = temporaryFolder(t)
    const first = await startPosthouse(t, data, [`--writer-thread=${writerThread}`])
    const log: string[] = []
    first.child.stderr!.on('data', (chunk) => log.push(String(chunk)))
    const { mailbox, smtp } = first.ready
    const client = await SmtpClient.connect(smtp.port)
    await client.command('EHLO client.test')
    t.match(await client.send('x@out.test', [mailbox.address], SMALL), '250', 'control: before it, mail is stored')
    const ended = new Promise<number | null>((resolve) => first.child.on('close', resolve))
    // The process cannot write beyond 4 MB in any file, which are more than its database has: as on a failing disk, the error is not that of a full disk.
    execFileSync('prlimit', ['--pid', String(first.child.pid), '--fsize=4000000'])
    t.match(await client.send('x@out.test', [mailbox.address], LARGE), '451 4.3.0')
    t.equal(await ended, 74)
    t.match(log.join(''), /"error":"the disk failed while writing a pack.*The disk failed; the server is ending\./)
    const second = await serve(t, data, [`--writer-thread=${writerThread}`])
    const again = await SmtpClient.connect(second.ready.smtp.port)
    await again.command('EHLO client.test')
    t.match(await again.send('x@out.test', [mailbox.address], LARGE), '250', 'after a restart it goes on')
    again.end()
    t.equal(await second.stop(), 0)
  })
}

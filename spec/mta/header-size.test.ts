// Promise T1: the limits of a header are checked while it arrives, at port 25 and at submission.
import t, { type Test } from 'tap'
import { MIME_MAX_HEADER_BYTES, MIME_MAX_HEADER_FIELDS } from '../../server/base/limits.ts'
import { SmtpClient } from '../support/smtp-client.ts'
import { startInbound, startSubmission } from '../support/smtp-listeners.ts'

const LOGIN = `AUTH PLAIN ${Buffer.from('\0alice@posthouse.test\0secret').toString('base64')}`
const ALICE = 'alice@posthouse.test'

const fields = (count: number) => Array.from({ length: count }, (_, at) => `X-${at}: y\r\n`).join('')
const padded = (octets: number) => `X: ${'y'.repeat(octets - 5)}\r\n`

const TOO_LARGE: { readonly [name: string]: string } = {
  'a field more than may be': `${fields(MIME_MAX_HEADER_FIELDS + 1)}\r\nbody`,
  'an octet more than may be': `${padded(MIME_MAX_HEADER_BYTES + 1)}\r\nbody`,
  'very short fields': `${'a:\r\n'.repeat(300_000)}\r\nbody`,
  'one field in very short lines': `X: y\r\n${' z\r\n'.repeat(300_000)}\r\nbody`,
  'a header line of 2 MB': `X: ${'y'.repeat(2_000_000)}\r\n\r\nbody`,
  'a header without an end': 'X: y\r\n'.repeat(200_000),
}

const TAKEN: { readonly [name: string]: string } = {
  'as many fields as may be': `${fields(MIME_MAX_HEADER_FIELDS)}\r\nbody`,
  'as many octets as may be': `${padded(MIME_MAX_HEADER_BYTES)}\r\nbody`,
  'a large body of very short lines': `X: y\r\n\r\n${'a:\r\n'.repeat(300_000)}`,
  'a large body of empty lines': `X: y\r\n\r\n${'\r\n'.repeat(600_000)}`,
}

const DOORS = {
  async 'port 25'(t: Test) {
    const { core, port } = await startInbound(t)
    const client = await SmtpClient.connect(port)
    await client.command('EHLO client.test')
    return { client, stored: () => core.messages.length }
  },
  async submission(t: Test) {
    const { core, port } = await startSubmission(t)
    const client = await SmtpClient.connect(port)
    await client.command('EHLO client.test')
    await client.startTls()
    await client.commands(['EHLO client.test', '250'], [LOGIN, '235'])
    return { client, stored: () => core.submitted.length }
  },
}

for (const [door, open] of Object.entries(DOORS)) {
  t.test(`${door}: a header beyond the bound is 552 5.3.4, nothing is stored, and the session continues`, async (t) => {
    const { client, stored } = await open(t)
    for (const [name, text] of Object.entries(TOO_LARGE)) {
      t.match(await client.send(ALICE, [ALICE], text), '552 5.3.4', name)
      t.equal(stored(), 0, name)
    }
    t.match(await client.send(ALICE, [ALICE], 'X: y\r\n\r\nbody'), '250')
    t.equal(stored(), 1)
    client.end()
  })

  t.test(`${door}: a header up to the bound is taken, whatever the body`, async (t) => {
    const { client, stored } = await open(t)
    for (const [name, text] of Object.entries(TAKEN)) t.match(await client.send(ALICE, [ALICE], text), '250', name)
    t.equal(stored(), Object.keys(TAKEN).length)
    client.end()
  })
}

import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import type { StateChange } from '../../../jmap/push/state-changes.ts'
import { SERVICE_LINES } from '../../../jmap/services.ts'
import { Administration } from '../../../server/administration/administration.ts'
import { systemClock } from '../../../server/base/clock.ts'
import type { Fatal } from '../../../server/base/fatal.ts'
import { silentLogger } from '../../../server/base/logger.ts'
import { type Principal, SYSTEM } from '../../../server/base/principal.ts'
import { readConfig } from '../../../server/config/config.ts'
import { gatherSettings } from '../../../server/config/env.ts'
import { openCore } from '../../../server/threads/open-core.ts'
import { parseBody, USING } from '../../support/core.ts'
import { temporaryFolder } from '../../support/posthouse.ts'

const LARGE = `From: a@example.org\r\nSubject: Large\r\n\r\n${'All work and no play. '.repeat(5_000)}\r\n`

async function open(t: Test, writerThread: boolean, data = temporaryFolder(t)) {
  const settings = { dev: true, data, writer_thread: writerThread ? 'on' : 'off', log_level: 'silent' }
  const config = readConfig(gatherSettings(settings, {}))
  const secrets = {
    databaseUrl: null,
    s3SecretKey: null,
    relayUrl: null,
    secretKey: null,
    modelKey: null,
    registrarKey: null,
    dnsProviderKey: null,
    stripeSecretKey: null,
    stripeWebhookSecret: null,
  }
  const onFatal = ({ error }: Fatal) => t.fail(error.message)
  const opened = await openCore({ config, secrets, clock: systemClock, logger: silentLogger, onFatal })
  t.teardown(() => opened.core.close())
  return opened
}

/** One core, and a new mailbox for each test. */
async function mailboxes(t: Test, writerThread: boolean) {
  const { core } = await open(t, writerThread)
  const admin = new Administration(core)
  const organization = await admin.createOrganization('Test')
  const domain = await admin.createDomain(organization.id, 'example.test')
  let count = 0
  return async () => {
    const mailbox = await admin.createMailbox(organization.id, domain.id, `user${++count}`, null, 'Secret123')
    const { id: accountId, address } = mailbox
    const account = core.ids.accountNumber('mailbox', accountId)!
    const principal: Principal = { ...SYSTEM, kind: 'mailbox', mailboxes: [account], organization: 1, credential: 'x' }
    const recipients = [{ account, address }]
    const receive = (text: string) =>
      core.ingest([{ bytes: Buffer.from(text), recipients, receivedAt: 0, mailFrom: '' }])
    return { core, accountId, address, principal, receive }
  }
}

for (const writerThread of [true, false]) {
  t.test(writerThread ? 'with a writer thread' : 'in one thread', async (t) => {
    const fresh = await mailboxes(t, writerThread)

    t.test('a read after a write sees the write', async (t) => {
      const { core, accountId, receive } = await fresh()
      for (let i = 1; i <= 20; i++) {
        const [[result]] = (await receive(`From: a@example.org\r\nSubject: ${i}\r\n\r\nHi\r\n`)) as [
          [{ status: string }],
        ]
        t.equal(result.status, 'stored')
        const answer = await core.process(SYSTEM, {
          using: USING,
          methodCalls: [['Email/query', { accountId, calculateTotal: true }, 'q']],
        })
        t.match(answer, { methodResponses: [['Email/query', { total: i }, 'q']] })
      }
    })

    t.test('a search finds a message that has just been stored', async (t) => {
      const { core, accountId, receive } = await fresh()
      await receive('From: a@example.org\r\nSubject: Rarity\r\n\r\nAn okapi.\r\n')
      const body = { using: USING, methodCalls: [['Email/query', { accountId, filter: { text: 'okapi' } }, 'q']] }
      const answer = await core.processText(SYSTEM, Buffer.from(JSON.stringify(body)))
      t.match(parseBody(answer.body), { methodResponses: [['Email/query', { ids: [/^msg_/] }, 'q']] })
    })

    t.test('a request that writes is answered from JSON to JSON, a large one too', async (t) => {
      const { core, accountId } = await fresh()
      for (const padding of [0, 100_000]) {
        const name = `Folder ${padding}`
        const methodCalls = [['Mailbox/set', { accountId, create: { m: { name } } }, 'c']]
        const body = JSON.stringify({ using: USING, methodCalls }) + ' '.repeat(padding)
        const answer = await core.processText(SYSTEM, Buffer.from(body))
        t.match(parseBody(answer.body), {
          methodResponses: [['Mailbox/set', { created: { m: { id: /^fld_/ } } }, 'c']],
        })
      }
    })

    t.test('large blobs are read outside of the writer', async (t) => {
      const { core, accountId, principal } = await fresh()
      const bytes = Buffer.from(LARGE)
      const uploaded = await core.upload(principal, accountId, 'message/rfc822', bytes)
      const whole = await core.download(principal, accountId, uploaded!.blobId)
      t.equal(Buffer.from(whole!.bytes).toString(), LARGE)
      const part = await core.download(principal, accountId, uploaded!.blobId, { start: 6, end: 19 })
      t.equal(Buffer.from(part!.bytes).toString(), 'a@example.org')
    })

    t.test('a request with an Idempotency-Key is run once and then answered again', async (t) => {
      const { core, accountId } = await fresh()
      const slot = { organization: 1, name: accountId, fingerprint: 'f' }
      const begun = await core.idempotency.begin(slot)
      if (begun.status !== 'new') throw new Error(begun.status)
      const create = { f: { name: 'Once' } }
      const request = { using: USING, methodCalls: [['Mailbox/set', { accountId, create }, 'c'] as const] }
      const once = { organization: 1, name: slot.name, lease: begun.lease, round: 0, past: [], isRepeated: false }
      const [first, second] = [
        await core.process(SYSTEM, request as never, once),
        await core.process(SYSTEM, request as never, once),
      ]
      t.match(first, { methodResponses: [['Mailbox/set', { created: { f: { id: /^fld_/ } } }, 'c']] })
      t.same('methodResponses' in second && second.methodResponses[0]![1]['notCreated'], null)
      await core.idempotency.finish(slot, begun.lease, { status: 201, body: '{}', requestId: 'r' })
      t.match(await core.idempotency.begin(slot), { status: 'done', answer: { status: 201 } })
    })

    t.test('commits are announced to listeners', async (t) => {
      const { core, accountId, receive } = await fresh()
      const heard = Promise.withResolvers<StateChange>()
      const stop = core.onStateChange(heard.resolve)
      await receive('From: a@example.org\r\n\r\nHi\r\n')
      t.match(await heard.promise, { accountId, changed: { Email: /^\d+$/ } })
      stop()
    })

    t.test('a queued message is claimed with its octets', async (t) => {
      const { core, address, principal } = await fresh()
      const submitted = await core.submit(principal, {
        bytes: Buffer.from(
          `From: ${address}\r\nTo: b@example.org\r\nDate: Thu, 1 Jan 2026 00:00:00 +0000\r\n\r\nHi\r\n`,
        ),
        mailFrom: address,
        recipients: [{ address: 'b@example.org' }],
      })
      t.equal(submitted.status, 'queued')
      const [claimed] = await core.claimSubmissions('me', 10, 60_000)
      t.match(Buffer.from(claimed!.bytes).toString(), `From: ${address}`)
      await core.reportAttempts([
        {
          account: claimed!.account,
          submission: claimed!.submission,
          lease: claimed!.lease,
          outcomes: [{ address: 'b@example.org', status: 'sent', smtpReply: '250 2.0.0 OK', host: null }],
          retryAt: null,
        },
      ])
      t.equal(await core.nextSubmissionAt(), null)
    })
  })
}

t.test('a core with and without a writer thread opens the same data, with the same secrets', async (t) => {
  const data = temporaryFolder(t)
  const first = await open(t, true, data)
  const organization = await first.core.createOrganization('Kept')
  const slot = { organization: 1, name: 'cut off', fingerprint: 'f' }
  await first.core.idempotency.begin(slot)
  t.match(await first.core.idempotency.begin(slot), { status: 'running' })
  const key = Buffer.from(first.cursorKey).toString('hex')
  await first.core.close()
  const second = await open(t, false, data)
  t.match(await second.core.organizations(), [{ accountId: organization.accountId, name: 'Kept' }])
  t.equal(Buffer.from(second.cursorKey).toString('hex'), key)
  t.match(await second.core.idempotency.begin(slot), { status: 'new' }, 'who ran it before is dead')
})

t.test('every line of the table of services is a call, with and without a writer thread', async (t) => {
  t.ok(SERVICE_LINES.has('ingest') && SERVICE_LINES.has('push.claim'))
  for (const writerThread of [true, false]) {
    const { core } = await open(t, writerThread)
    for (const path of SERVICE_LINES.keys()) {
      const call = path.split('.').reduce<unknown>((at, name) => (at as Record<string, unknown>)[name], core)
      t.type(call, 'function', path)
    }
  }
})

t.test('a store that cannot be opened fails with its own message', async (t) => {
  for (const writerThread of [true, false]) {
    const data = temporaryFolder(t)
    writeFileSync(join(data, 'posthouse.db'), 'this is not a database')
    await t.rejects(open(t, writerThread, data), /file is not a database/)
  }
})

t.test('after close() every call fails', async (t) => {
  const { core } = await open(t, true)
  await core.createOrganization('In time')
  await core.close()
  await t.rejects(core.createOrganization('Late'), { code: 'storageUnavailable' })
})

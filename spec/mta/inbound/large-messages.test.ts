// Promise T1: memory of large messages is freed as soon as nobody reads it, and never earlier.
import process from 'node:process'
import t from 'tap'
import { createLocalDelivery } from '../../../mta/inbound/local-delivery.ts'
import { ManualClock } from '../../../server/base/clock.ts'
import { freeMemory, freeWhole } from '../../../server/base/free-memory.ts'
import { FREED_FROM_BYTES } from '../../../server/base/limits.ts'
import { MessageThreads } from '../../../server/threads/message-threads.ts'
import { startCore } from '../../support/core.ts'
import { MemoryCore } from '../../support/memory-core.ts'
import { SmtpClient } from '../../support/smtp-client.ts'
import { startInbound, startSubmission } from '../../support/smtp-listeners.ts'

const BODY = 'Lines of a large message.\r\n'.repeat(FREED_FROM_BYTES / 8)
const LARGE = `Subject: large\r\n\r\n${BODY}`
const SIGNED = [
  'DKIM-Signature: v=1; a=ed25519-sha256; c=relaxed/relaxed; d=out.test; s=s1; h=from;',
  ' bh=47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=; b=AAAA',
  `From: a@out.test\r\n${LARGE}`,
].join('\r\n')
const BOTH = ['alice@posthouse.test', 'bob@posthouse.test']
const ALICE = BOTH.slice(0, 1)

async function greeted(port: number): Promise<SmtpClient> {
  const client = await SmtpClient.connect(port)
  await client.command('EHLO client.test')
  return client
}

t.test('octets that are given are freed when the message with trace fields exists; others stay', async (t) => {
  const core = new MemoryCore()
  const delivery = createLocalDelivery(core)
  const take = async (isGiven: boolean) => {
    const bytes = Buffer.from(LARGE)
    const recipients = [{ account: 10, address: ALICE[0]! }]
    await delivery.deliver({ bytes, isGiven, recipients, trace: '', mailFrom: '', receivedAt: 0 })
    t.ok(Buffer.from(core.messages.at(-1)!.bytes).toString('latin1').endsWith(BODY))
    return bytes
  }
  t.equal((await take(true)).buffer.byteLength, 0)
  t.equal((await take(false)).toString('latin1'), LARGE, 'control')
})

t.test('small octets, which may share the memory of a pool, are never freed', async (t) => {
  const small = Buffer.from('small')
  freeMemory(small)
  t.equal(small.toString(), 'small')
})

t.test('octets that share their memory with others are not freed with them', async (t) => {
  const memory = Buffer.from(LARGE)
  freeWhole(memory.subarray(1))
  t.equal(memory.toString(), LARGE)
  freeWhole(memory)
  t.equal(memory.buffer.byteLength, 0, 'the control: their own is')
})

t.test('large messages are stored as they came, after checks in threads too', async (t) => {
  const { core, port } = await startInbound(t, { senderChecks: {} })
  const client = await greeted(port)
  for (const text of [LARGE, SIGNED, LARGE]) {
    t.match(await client.send('x@out.test', ALICE, text), '250')
    t.ok(Buffer.from(core.messages.at(-1)!.bytes).toString('latin1').endsWith(`${BODY}\r\n`))
  }
  client.end()
})

t.test('a message lost with its thread gets 451 and is not stored; the next one is', async (t) => {
  const threads = new MessageThreads(new ManualClock(), 1)
  t.teardown(() => threads.close())
  const { core, mailbox } = await startCore(t, 'sqlite', {}, { messageWork: threads })
  const box = await mailbox('hello')
  const { port } = await startInbound(t, { mailCore: core })
  const client = await greeted(port)
  process.once('worker', (thread) => void thread.terminate())
  t.match(await client.send('x@out.test', [box.address], LARGE), '451 4.3.0')
  t.same((await box.call('Email/query', {})).ids, [])
  t.match(await client.send('x@out.test', [box.address], LARGE), '250')
  const { ids } = await box.call('Email/query', {})
  const { list } = await box.call('Email/get', { ids, properties: ['bodyValues'], fetchTextBodyValues: true })
  t.equal(list[0].bodyValues['1'].value, `${BODY}\r\n`.replaceAll('\r\n', '\n'))
  client.end()
})

t.test('after a partial delivery of a large message the retry stores only missing copies', async (t) => {
  const { core, port } = await startInbound(t)
  const client = await greeted(port)
  core.refusing.set(11, 'overQuota')
  t.match(await client.send('x@out.test', BOTH, LARGE), '452 4.2.2')
  core.refusing.clear()
  t.match(await client.send('x@out.test', BOTH, LARGE), '250')
  t.same(core.messages[1]?.recipients, [{ account: 11, address: 'bob@posthouse.test' }])
  client.end()
})

t.test('a large message is submitted as it came', async (t) => {
  const { core, port } = await startSubmission(t)
  const client = await greeted(port)
  await client.startTls()
  const login = `AUTH PLAIN ${Buffer.from('\0alice@posthouse.test\0secret').toString('base64')}`
  await client.commands(['EHLO client.test', '250'], [login, '235'])
  t.match(await client.send(ALICE[0]!, BOTH, LARGE), '250')
  t.ok(Buffer.from(core.submitted[0]!.message.bytes).toString('latin1').endsWith(`${BODY}\r\n`))
  client.end()
})

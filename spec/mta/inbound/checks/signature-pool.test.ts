// Signatures are checked in threads: bounded, and a check that takes too long is undecided, never a pass.
import { once } from 'node:events'
import process from 'node:process'
import type { Worker } from 'node:worker_threads'
import t from 'tap'
import type { DnsResolver } from '../../../../mta/dns/resolver.ts'
import { SignaturePool } from '../../../../mta/inbound/checks/authentication/signature-pool.ts'
import { ManualClock } from '../../../../server/base/clock.ts'
import {
  DKIM_SIGNATURES_MAX,
  SIGNATURE_FIELD_MAX_BYTES,
  SIGNATURE_THREAD_IDLE_MS,
  SIGNED_HEADER_MAX_LINES,
} from '../../../../server/base/inbound-limits.ts'
import { silentLogger } from '../../../../server/base/logger.ts'

const KEY = 'v=DKIM1; k=ed25519; p=11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo='
/** RFC 8463 A.3, with the hash of an empty body: the key is queried. */
const FIELD = [
  'DKIM-Signature: v=1; a=ed25519-sha256; c=relaxed/relaxed; d=out.test; s=s1; h=from;',
  ' bh=47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=; b=AAAA',
  '',
].join('\r\n')
const AUTHOR = 'From: a@out.test\r\n\r\n'
const SIGNED = Buffer.from(FIELD + AUTHOR)

/** A resolver whose answers the test gives. */
function heldDns() {
  const waiting: (() => void)[] = []
  let isOpen = true
  const txt: DnsResolver['txt'] = () =>
    new Promise((resolve) => {
      const answer = () => resolve({ status: 'found', records: [KEY] })
      if (isOpen) answer()
      else waiting.push(answer)
    })
  const dns = { txt } as DnsResolver
  return {
    dns,
    asked: async (count: number) => {
      while (waiting.length < count) await new Promise(setImmediate)
    },
    hold: () => {
      isOpen = false
    },
    open: () => {
      isOpen = true
      for (const answer of waiting.splice(0)) answer()
    },
  }
}

const resultOf = ({ dkim }: { dkim: readonly { result: string }[] }) => dkim[0]?.result

// One pool for all tests, because a thread takes time to start.
t.test('the pool', async (t) => {
  const clock = new ManualClock()
  const { dns, open, hold, asked } = heldDns()
  const pool = new SignaturePool({ dns, clock, log: silentLogger, threads: 1, queueMax: 1 })
  t.teardown(() => pool.close())
  const check = () => pool.check(SIGNED, clock.now())
  const workers: Worker[] = []
  const note = (worker: Worker) => void workers.push(worker)
  process.on('worker', note)
  t.teardown(() => process.off('worker', note))

  t.test('control: a signature is checked', async (t) => {
    t.match(await check(), {
      dkim: [
        { result: 'fail', domain: 'out.test', selector: 's1', algorithm: 'ed25519-sha256', reason: 'bad signature' },
      ],
      arc: { result: 'none', domain: null },
    })
  })

  t.test('of many signatures ten are checked, over lines of any length', async (t) => {
    const signed = (signatures: number, body: string) =>
      pool.check(Buffer.from(FIELD.repeat(signatures) + AUTHOR + body), clock.now())
    t.equal((await signed(12, 'x\r\n')).dkim.length, DKIM_SIGNATURES_MAX)
    const reasons = (await signed(10, `${'x'.repeat(2_000_000)}\r\n`.repeat(2))).dkim.map(({ reason }) => reason)
    t.same(new Set(reasons), new Set(['body hash did not verify']))
    t.equal(reasons.length, 10)
  })

  t.test('a signature of any size is answered in words, and so is a header of very many lines', async (t) => {
    // White space in a tag, which costs the library the square of its length.
    const field = (octets: number) => `${FIELD.slice(0, -2)}; z=${' '.repeat(octets - FIELD.length - 3)}y\r\n`
    const most = field(SIGNATURE_FIELD_MAX_BYTES)
    const large = field(200_000)
    const check = (text: string) => pool.check(Buffer.from(text), clock.now())
    const answered = { result: 'fail', domain: 'out.test' }
    t.match(await check(`${most}${FIELD}${AUTHOR}`), { dkim: [answered, answered] }, 'control')
    const { dkim } = await check(`${large.repeat(2)}${FIELD}${AUTHOR}`)
    t.match(dkim, [answered, { result: 'permerror', reason: 'the field is too large' }])
    t.equal(dkim.length, 2)
    // The library takes it as a field, although JMAP shows none there.
    const hidden = large.replace('\r\n', '').replace(':', `${' '.repeat(1_000)}:`)
    t.match(await check(`${FIELD}${hidden}${AUTHOR}`), { dkim: [answered, { reason: 'the field is too large' }] })
    const folded = (lines: number) => `${FIELD}To:${'\r\n a'.repeat(lines)}\r\n${AUTHOR}`
    t.match(await check(folded(SIGNED_HEADER_MAX_LINES / 2)), { dkim: [answered] }, 'control')
    t.match(await check(folded(SIGNED_HEADER_MAX_LINES)), { dkim: [{ result: 'permerror', reason: 'cannot be read' }] })
  })

  t.test('a thread without work ends after some minutes, and the next message has another', async (t) => {
    clock.advance(SIGNATURE_THREAD_IDLE_MS - 1)
    t.equal(resultOf(await check()), 'fail')
    t.equal(workers.length, 1, 'control: until then it stays')
    const ended = once(workers[0]!, 'exit')
    clock.advance(SIGNATURE_THREAD_IDLE_MS)
    await ended
    t.equal(resultOf(await check()), 'fail')
    t.equal(workers.length, 2)
  })

  t.test('a message that does not fit into the queue is undecided at once', async (t) => {
    hold()
    // Sixteen run in a thread, one waits.
    const taken = Array.from({ length: 17 }, check)
    await asked(16)
    t.equal(resultOf(await check()), 'temperror')
    open()
    t.same(new Set((await Promise.all(taken)).map(resultOf)), new Set(['fail']))
  })

  t.test('a job that does not end is aborted, and its thread is replaced', async (t) => {
    hold()
    const stuck = check()
    await asked(1)
    clock.advance(29_000)
    const later = check()
    await asked(2)
    clock.advance(2_000)
    t.equal(resultOf(await stuck), 'temperror')
    open()
    t.equal(resultOf(await later), 'fail', 'what else the thread had at hand begins anew')
  })

  t.test('close ends all waiting jobs', async (t) => {
    hold()
    const waiting = check()
    await asked(1)
    await pool.close()
    t.equal(resultOf(await waiting), 'temperror')
    t.equal(resultOf(await check()), 'temperror')
  })
})

// Promise S2: no bare CR or LF is sent, no message becomes two, and every body arrives unchanged.
import { setImmediate as turn } from 'node:timers/promises'
import fc from 'fast-check'
import t from 'tap'
import { dotStuffed } from '../../../mta/outbound/dot-stuffing.ts'
import { normalizeLineEnds } from '../../../mta/outbound/wire-message.ts'
import { startQueue } from '../../support/outbound-queue.ts'
import { startInbound } from '../../support/smtp-listeners.ts'
import { startPeer } from '../../support/smtp-peer.ts'

const BREAKS = ['\r\n', '\n', '\r', '\r\r\n', '\n\r', '\r\0\n', '\0\n']
const SMUGGLED = 'MAIL FROM:<evil@out.test>\r\nRCPT TO:<x@out.test>\r\nDATA\r\nsmuggled\r\n.\r\n'

t.test('every end sequence in a body is sent as one message without bare CR or LF', async (t) => {
  const peer = await startPeer(t)
  const { send } = await startQueue(t, { routing: { mode: 'relay', url: `smtp://127.0.0.1:${peer.port}` } })
  for (const before of BREAKS) {
    for (const after of BREAKS) {
      await send(['x@out.test'], { bytes: Buffer.from(`Subject: x\r\n\r\nbody${before}.${after}${SMUGGLED}end\r\n`) })
    }
  }
  t.equal(peer.messages.length, BREAKS.length ** 2)
  t.equal(peer.lines.filter((line) => line.includes('evil')).length, 0)
  for (const { data } of peer.messages) {
    const text = data.toString('latin1')
    t.notMatch(text, /\r(?!\n)|(?<!\r)\n/)
    t.match(text, 'smuggled', 'control: what looked like a second message is in the first')
  }
})

t.test('ten thousand bodies are normalised to CRLF and otherwise kept', async (t) => {
  const text = fc.string({ unit: fc.constantFrom('a', '.', '\r', '\n', '\r\n', '\0'), maxLength: 20 })
  const outcome = fc.check(
    fc.property(text, (body) => {
      const out = normalizeLineEnds(Buffer.from(body)).toString()
      const lines = (any: string) => any.split(/\r\r\n|\r\n|\r|\n/).join('|')
      return !/\r(?!\n)|(?<!\r)\n/.test(out) && lines(out) === lines(body)
    }),
    { numRuns: 10_000, seed: 5321 },
  )
  t.notOk(outcome.failed, JSON.stringify(outcome.counterexample))
})

t.test('a message with CRLF only is not copied', async (t) => {
  const bytes = Buffer.from('a\r\nb\r\n')
  t.equal(normalizeLineEnds(bytes), bytes)
})

t.test('of a message only pieces in which a line begins with a dot are copied', async (t) => {
  const [fields, plain] = [Buffer.from('DKIM-Signature: x\r\n'), Buffer.from('A: 1\r\n\r\nno. dot\r\n')]
  const sent = dotStuffed([fields, plain])
  t.same([sent[0] === fields, sent[1] === plain, sent.slice(2).join('')], [true, true, '.\r\n'])
  const lines = fc.array(fc.string({ unit: fc.constantFrom('.', 'a', '..'), maxLength: 4 }), { maxLength: 8 })
  const outcome = fc.check(
    fc.property(fc.array(lines, { maxLength: 3 }), (pieces) => {
      const given = pieces.map((piece) => Buffer.from(piece.map((line) => `${line}\r\n`).join('')))
      const expected = pieces.flat().map((line) => (line.startsWith('.') ? `.${line}\r\n` : `${line}\r\n`))
      return dotStuffed(given).join('') === `${expected.join('')}.\r\n`
    }),
    { numRuns: 2_000, seed: 5321 },
  )
  t.notOk(outcome.failed, JSON.stringify(outcome.counterexample))
  t.equal(dotStuffed([Buffer.from('.no line end')]).join(''), '..no line end\r\n.\r\n')
})

/** Promise S2 asks for 10,000 (`BODIES=10000 TAP_TIMEOUT=0 node` and this file), the suite uses fewer. */
const bodiesMade = Number(process.env['BODIES'] ?? 200)

t.test('bodies with dots are sent by our queue to our own listener and arrive unchanged', async (t) => {
  const inbound = await startInbound(t)
  const { send } = await startQueue(t, { routing: { mode: 'relay', url: `smtp://127.0.0.1:${inbound.port}` } })
  inbound.core.verdicts.set('x@out.test', { status: 'accepted', account: 10 })
  const line = fc.string({ unit: fc.constantFrom('.', 'a', ' ', 'é', '..'), maxLength: 6 })
  const bodies = fc
    .sample(fc.array(line, { maxLength: 10 }), { numRuns: bodiesMade, seed: 5321 })
    .map((lines) => `${lines.join('\r\n')}\r\n`)
  for (const body of bodies) await send(['x@out.test'], { bytes: Buffer.from(`Subject: x\r\n\r\n${body}`) })
  const arrived = inbound.core.messages.map(({ bytes }) => Buffer.from(bytes).toString().split('Subject: x\r\n\r\n')[1])
  t.same(arrived, bodies)
  const dotted = '.\r\n.first\r\n..second\r\n'
  await send(['x@out.test'], { bytes: Buffer.from(dotted) })
  const last = Buffer.from(inbound.core.messages.at(-1)!.bytes).toString()
  t.ok(last.endsWith(`\r\n${dotted}`), 'also where the first line begins with one')
  t.equal(inbound.core.messages.length, bodies.length + 1)
})

t.test('a message of a newsletter is freed when it was sent, but not before it is written', async (t) => {
  const head = 'From: alice@posthouse.test\r\nSubject: x\r\n\r\n'
  const message = (size: number) => Buffer.from(`${head}${`${'a'.repeat(76)}\r\n`.repeat(size / 78)}`)
  const early = { reply: (line: string) => (line === 'DATA' ? '354 go on\n250 2.0.0 taken before it was read' : null) }
  for (const [size, options] of [
    [78_000, {}],
    [7_800_000, { ...early, extensions: ['PIPELINING'] }],
  ] as const) {
    const peer = await startPeer(t, options)
    const { send } = await startQueue(t, { routing: { mode: 'relay', url: `smtp://127.0.0.1:${peer.port}` } })
    const expected = message(size)
    const { bytes } = await send(['x@out.test'], { bytes: message(size), isBulk: true })
    while (peer.messages.length === 0) await turn()
    t.ok(peer.messages[0]!.data.equals(expected), `${size} octets arrive unchanged`)
    for (let i = 0; i < 20; i++) await turn()
    if (size < 1_000_000) t.equal(bytes.length, 0)
    const other = await send(['x@out.test'], { bytes: message(7_800) })
    t.equal(other.bytes.length, message(7_800).length, 'control: another message stays')
  }
})

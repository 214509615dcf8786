import fc from 'fast-check'
import t from 'tap'
import { MessageText } from '../../../mta/smtp/message-text.ts'

/** Reads chunks up to the end of a message. */
function read(...chunks: readonly string[]) {
  const reader = new MessageText()
  let text = ''
  for (const [at, chunk] of chunks.entries()) {
    const piece = reader.read(Buffer.from(chunk, 'latin1'))
    text += piece.text.toString('latin1')
    if (piece.next !== null) {
      const rest = chunk.slice(piece.next) + chunks.slice(at + 1).join('')
      return { text, rest, bareLineEnds: reader.bareLineEnds }
    }
  }
  return { text, rest: null, bareLineEnds: reader.bareLineEnds }
}

t.test('a dot at the start of a line is removed, whatever follows it', async (t) => {
  t.equal(read('..a\r\n.b\r\nc.d\r\n..\r\n').text, '.a\r\nb\r\nc.d\r\n.\r\n')
})

t.test('a text without such dots shares the received memory', async (t) => {
  const sent = Buffer.from('a: b\r\n\r\nc.\r\n')
  const { text } = new MessageText().read(sent)
  t.same(text, sent)
  t.equal(text.buffer, sent.buffer)
})

for (const [name, text] of [
  ['a bare LF', 'a\nb\r\n'],
  ['a bare CR', 'a\rb\r\n'],
  ['CR CR LF', 'a\r\r\nb\r\n'],
  ['a CR at the end', 'a\r\nb\r.\r\n'],
  ['an LF at the start', '\na\r\n'],
  ['LF CR', 'a\n\rb\r\n'],
  ['a dot and a bare LF', 'a\r\n.\nb\r\n'],
  ['a dot and a bare CR', 'a\r\n.\rb\r\n'],
] as const) {
  t.test(`${name} is detected`, async (t) => {
    t.ok(read(text).bareLineEnds)
    t.ok(read(...text).bareLineEnds, 'also octet by octet')
    t.notOk(read(text.replace(/\.?[\r\n]+/g, '\r\n')).bareLineEnds, 'and CRLF in its place is not')
  })
}

t.test('a message ends at CRLF.CRLF in any chunks, and the octets after it remain', async (t) => {
  const sent = 'a\r\n..b\r\n.\r\nNOOP\r\n'
  for (let cut = 0; cut <= sent.length; cut++)
    t.same(read(sent.slice(0, cut), sent.slice(cut)), { text: 'a\r\n.b\r\n', rest: 'NOOP\r\n', bareLineEnds: false })
})

t.test('dot-stuffed text is restored, in any chunks', async (t) => {
  const line = fc.string({ unit: fc.constantFrom('.', 'a', ' ', 'é', ':'), maxLength: 5 })
  const outcome = fc.check(
    fc.property(fc.array(line, { maxLength: 12 }), fc.nat(40), (lines, cut) => {
      const message = Buffer.from(lines.map((text) => `${text}\r\n`).join('')).toString('latin1')
      const stuffed = `${message.replace(/^\./gm, '..')}.\r\n`
      return read(stuffed.slice(0, cut), stuffed.slice(cut)).text === message
    }),
    { numRuns: 10_000, seed: 5321 },
  )
  t.notOk(outcome.failed, JSON.stringify(outcome.counterexample))
})

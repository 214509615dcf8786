import fc from 'fast-check'
import t from 'tap'
import { readMessageText } from '../../../mta/smtp/message-text.ts'

const read = (text: string) => readMessageText(Buffer.from(text, 'latin1'))

t.test('a dot at the start of a line is removed, whatever follows it', async (t) => {
  t.equal(read('..a\r\n.b\r\nc.d\r\n..\r\n').bytes.toString(), '.a\r\nb\r\nc.d\r\n.\r\n')
})

t.test('a text without such dots is not copied', async (t) => {
  const sent = Buffer.from('a: b\r\n\r\nc.\r\n')
  t.equal(readMessageText(sent).bytes, sent)
})

for (const [name, text] of [
  ['a bare LF', 'a\nb\r\n'],
  ['a bare CR', 'a\rb\r\n'],
  ['CR CR LF', 'a\r\r\nb\r\n'],
  ['a CR at the end', 'a\r\nb\r'],
  ['an LF at the start', '\na\r\n'],
  ['LF CR', 'a\n\rb\r\n'],
] as const) {
  t.test(`${name} is detected`, async (t) => {
    t.ok(read(text).bareLineEnds)
    t.notOk(read(text.replace(/[\r\n]+/g, '\r\n')).bareLineEnds, 'and CRLF in its place is not')
  })
}

t.test('text that a client stuffs is restored', async (t) => {
  const line = fc.string({ unit: fc.constantFrom('.', 'a', ' ', 'é', ':'), maxLength: 5 })
  const outcome = fc.check(
    fc.property(fc.array(line, { maxLength: 12 }), (lines) => {
      const message = lines.map((text) => `${text}\r\n`).join('')
      const stuffed = message.replace(/^\./gm, '..')
      return readMessageText(Buffer.from(stuffed)).bytes.toString() === message
    }),
    { numRuns: 10_000, seed: 5321 },
  )
  t.notOk(outcome.failed, JSON.stringify(outcome.counterexample))
})

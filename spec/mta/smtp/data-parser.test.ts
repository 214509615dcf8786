import t from 'tap'
import { DataParser } from '../../../mta/smtp/data-parser.ts'

function start(maxBytes = 1_000_000, limit = 1_000_000) {
  const budget = { used: 0, limit }
  const parser = new DataParser({}, budget)
  const messages: { bytes: Buffer; fault: string | null }[] = []
  const commands: string[] = []
  parser.oncommand = (line, callback) => {
    commands.push(line.toString())
    if (line.toString() === 'DATA') parser.beginMessage(maxBytes)
    callback?.()
  }
  parser.onmessage = (bytes) => {
    messages.push({ bytes, fault: parser.fault })
    parser.release()
    parser.resumeCommands()
  }
  return { parser, messages, commands, budget }
}

function collect(chunks: readonly string[], maxBytes?: number, limit?: number) {
  const started = start(maxBytes, limit)
  for (const chunk of chunks) started.parser.write(Buffer.from(chunk, 'latin1'))
  return started
}

t.test('a message that arrives octet by octet is complete, and commands continue after it', async (t) => {
  const body = `Subject: x\r\n\r\n${'..line\r\n'.repeat(500)}`
  const { messages, commands, budget } = collect([...`DATA\r\n${body}.\r\nNOOP\r\n`])
  t.equal(messages[0]?.bytes.toString(), body.replaceAll('..', '.'))
  t.same(commands, ['DATA', 'NOOP'])
  t.equal(budget.used, 0)
})

t.test('messages and commands in one chunk are separated', async (t) => {
  const { messages, commands } = collect(['DATA\r\na\r\n.\r\nNOOP\r\nDATA\r\n.\r\nDATA\r\nb\r\n.\r\nQUIT\r\n'])
  t.same(
    messages.map(({ bytes }) => bytes.toString()),
    ['a\r\n', '', 'b\r\n'],
  )
  t.same(commands, ['DATA', 'NOOP', 'DATA', 'DATA', 'QUIT'])
})

t.test('a limit counts the octets of the message, not the stuffed dots', async (t) => {
  t.equal(collect(['DATA\r\n..12345678\r\n.\r\n'], 11).messages[0]?.fault, null)
  t.equal(collect(['DATA\r\n..12345678\r\n.\r\n'], 10).messages[0]?.fault, 'tooLarge')
})

t.test('a large message is delivered completely', async (t) => {
  const line = `${'x'.repeat(70)}\r\n`
  const body = `Subject: x\r\n\r\n${line.repeat(30_000)}`
  const chunks = body.match(/[\s\S]{1,65000}/g) ?? []
  const { messages, budget } = collect(['DATA\r\n', ...chunks, '.\r\n'], 3_000_000, 3_000_000)
  t.equal(messages[0]?.fault, null)
  t.equal(messages[0]?.bytes.toString('latin1'), body)
  t.equal(budget.used, 0)
})

t.test('octets of a message whose header is too large are not kept while the rest of it arrives', async (t) => {
  const { parser, budget, messages } = start()
  parser.write(Buffer.from('DATA\r\n'))
  parser.write(Buffer.from('a:\r\n'.repeat(100_000)))
  t.equal(budget.used, 0)
  parser.write(Buffer.from(`\r\nbody\r\n${'x'.repeat(1_000)}\r\n`))
  t.equal(budget.used, 0)
  parser.write(Buffer.from('.\r\n'))
  t.equal(messages[0]?.fault, 'headerTooLarge')
})

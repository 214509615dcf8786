import t from 'tap'
import { DataParser } from '../../../mta/smtp/data-parser.ts'

function collect(chunks: readonly string[], maxBytes = 1_000_000) {
  const budget = { used: 0, limit: 1_000_000 }
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
  for (const chunk of chunks) parser.write(Buffer.from(chunk, 'latin1'))
  return { messages, commands, budget }
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

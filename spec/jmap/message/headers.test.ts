import t from 'tap'
import { fieldText, lastField, readHeaders, unfold } from '../../../jmap/message/headers.ts'
import { message, parse } from './fixtures.ts'

function fields(...lines: string[]): [string, string][] {
  const bytes = message(...lines)
  return readHeaders(bytes).map((field) => [field.name, fieldText(bytes, field)])
}

t.test('RFC 8621 4.1.3: fields keep their order and capitalisation; values are raw', async (t) => {
  t.same(fields('X-B: 1', 'x-a:2', '', 'Not: a header'), [
    ['X-B', ' 1'],
    ['x-a', '2'],
  ])
})

t.test('RFC 5322 2.2.3: a folded value runs over its lines', async (t) => {
  const [field] = fields('Subject: a', ' b', '\tc', 'To: x', '', '')
  t.equal(field?.[1], ' a\r\n b\r\n\tc')
  t.equal(unfold(field?.[1] ?? ''), ' a b\tc')
})

t.test('RFC 5322 4.5: white space may precede the colon', async (t) => {
  t.same(fields('Subject : x', '', ''), [['Subject', ' x']])
})

t.test('an mbox "From " line above the header is skipped', async (t) => {
  t.same(fields('From me@example.com Tue Jul 10 03:05:08 2018', 'Subject: x', '', ''), [['Subject', ' x']])
})

t.test('a stray line between fields does not end the header', async (t) => {
  t.same(fields('Received: from a', 'by b; Tue', 'Subject: x', '', ''), [
    ['Received', ' from a'],
    ['Subject', ' x'],
  ])
})

t.test('text directly after the header, without a blank line, is body', async (t) => {
  const parsed = parse('Subject: x', 'Hello you,', 'this is text')
  t.equal(parsed.subject, 'x')
  t.equal(parsed.preview, 'Hello you, this is text')
})

t.test('text without any header is body', async (t) => {
  t.equal(parse('Hello you,', 'this is text').preview, 'Hello you, this is text')
})

t.test('RFC 6532: eight-bit values are UTF-8, else windows-1252', async (t) => {
  const bytes = Buffer.concat([Buffer.from('A: ä\r\n', 'utf8'), Buffer.from('B: \xe4\r\n\r\n', 'latin1')])
  t.same(
    readHeaders(bytes).map((field) => fieldText(bytes, field)),
    [' ä', ' ä'],
  )
})

t.test('lastField compares names without case and finds the last', async (t) => {
  const bytes = message('X: 1', 'x: 2', 'XY: 3', '', '')
  const field = lastField(readHeaders(bytes), 'X')
  t.equal(field && fieldText(bytes, field), ' 2')
  t.equal(lastField(readHeaders(bytes), 'Y'), null)
})

import { Buffer } from 'node:buffer'
import t from 'tap'
import { readHeaderBlock, readWholeHeader } from '../../../jmap/message/header-block.ts'
import { isNamed } from '../../../jmap/message/headers.ts'
import { withoutBcc, withoutFields } from '../../../jmap/message/without-fields.ts'
import { MIME_MAX_HEADER_FIELDS, MIME_MAX_TRACE_FIELDS } from '../../../server/base/limits.ts'
import { message } from './fixtures.ts'

const LISTED = MIME_MAX_HEADER_FIELDS + MIME_MAX_TRACE_FIELDS

const MAIL = Buffer.from(
  'Return-Path: <a@b>\r\nSubject: one\r\n two\r\nreturn-path : <c@d>\r\n\r\nReturn-Path: in the body\r\n',
)

function without(bytes: Buffer, name: string, strict = false): string {
  return Buffer.concat(withoutFields(bytes, (field) => isNamed(field, name), { strict })).toString('latin1')
}

t.test('fields are removed from the header and stay in the body', async (t) => {
  t.equal(without(MAIL, 'return-path'), 'Subject: one\r\n two\r\n\r\nReturn-Path: in the body\r\n')
})

t.test('a message without fields to remove is one piece of the same memory', async (t) => {
  const [piece, ...more] = withoutFields(MAIL, () => false)
  t.same([piece?.length, more.length], [MAIL.length, 0])
  t.equal(piece?.buffer, MAIL.buffer)
})

t.test('a message without a header gets the empty line that ends it', async (t) => {
  t.equal(without(message('just words', ''), 'x'), '\r\njust words\r\n')
  t.equal(without(message('', 'X: body', ''), 'x'), '\r\nX: body\r\n')
  t.equal(without(Buffer.alloc(0), 'x'), '')
})

t.test('a message with only a header gets no empty line', async (t) => {
  t.equal(without(message('A: b', 'C: d'), 'x'), 'A: b\r\nC: d')
})

t.test('a header that text follows without an empty line gets one', async (t) => {
  t.equal(without(message('A: b', 'Hello you,', 'this is text'), 'x'), 'A: b\r\n\r\nHello you,\r\nthis is text')
})

t.test('lines before the first field are removed', async (t) => {
  t.equal(without(message('From me@example.com Tue Jul 10 03:05:08 2018', 'A: b', '', ''), 'x'), 'A: b\r\n\r\n')
  t.equal(without(message('  A: b', '', ''), 'x'), 'A: b\r\n\r\n')
})

t.test('a stray line stays between fields that stay, except in strict mode', async (t) => {
  const bytes = message('A: b', 'stray', 'C: d', '', '')
  t.equal(without(bytes, 'x'), 'A: b\r\nstray\r\nC: d\r\n\r\n')
  t.equal(without(bytes, 'x', true), 'A: b\r\nC: d\r\n\r\n')
})

t.test('a stray line after a removed field is removed with it', async (t) => {
  t.equal(without(message('X: a@x,', 'b@x', 'C: d', '', ''), 'x'), 'C: d\r\n\r\n')
  t.equal(without(message('A: b', 'stray', 'X: y', '', ''), 'x'), 'A: b\r\n\r\n')
})

t.test('a lone CR as line end is not joined with the line end after a removed field', async (t) => {
  t.equal(without(Buffer.from('A: b\rX: y\n\r\nC: body'), 'x'), 'A: b\r\n\r\nC: body')
})

t.test('fields beyond the limits of display are removed too', async (t) => {
  const bytes = Buffer.from(`${'A: b\r\n'.repeat(LISTED)}Bcc: x@y\r\n\r\n`)
  const header = readHeaderBlock(bytes, 0, bytes.length)
  t.equal(header.fields.length, LISTED)
  t.notOk(Buffer.from(withoutBcc(bytes, header)).includes('Bcc'))
  t.ok(readWholeHeader(bytes).fields.at(-1)?.name === 'Bcc', 'control: it is there')
})

t.test('RFC 5322 3.6.3: Bcc and Resent-Bcc are removed; a message without them has the same octets', async (t) => {
  const bytes = message('To: a@b', 'BCC: c@d,', ' e@f', 'Resent-Bcc: g@h', '', 'Bcc: body')
  t.equal(Buffer.from(withoutBcc(bytes)).toString(), 'To: a@b\r\n\r\nBcc: body')
  t.equal(withoutBcc(MAIL), MAIL)
})

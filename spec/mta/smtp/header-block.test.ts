import t from 'tap'
import { fieldText, readHeaderBlock, withoutFields } from '../../../mta/smtp/header-block.ts'

const MAIL = Buffer.from(
  'Return-Path: <a@b>\r\nSubject: one\r\n two\r\nreturn-path : <c@d>\r\n\r\nReturn-Path: in the body\r\n',
)

t.test('fields are found with their folded lines, and the header ends at the empty line', async (t) => {
  const block = readHeaderBlock(MAIL)
  t.same(
    block.fields.map(({ name }) => name),
    ['return-path', 'subject', 'return-path'],
  )
  t.equal(fieldText(MAIL, block.fields[1]!), 'one two')
  t.equal(MAIL.subarray(block.end).toString().startsWith('\r\n'), true)
})

t.test('fields are dropped from the header and not from the body', async (t) => {
  const kept = Buffer.concat(withoutFields(MAIL, readHeaderBlock(MAIL), ({ name }) => name === 'return-path'))
  t.equal(kept.toString(), 'Subject: one\r\n two\r\n\r\nReturn-Path: in the body\r\n')
})

t.test('a message without a header has none', async (t) => {
  t.same(readHeaderBlock(Buffer.from('just words\r\n')), { fields: [], end: 0 })
  t.same(readHeaderBlock(Buffer.from('\r\nbody: x\r\n')), { fields: [], end: 0 })
  t.same(readHeaderBlock(Buffer.alloc(0)), { fields: [], end: 0 })
})

t.test('a message that is all header ends with it', async (t) => {
  t.match(readHeaderBlock(Buffer.from('A: b\r\nC: d')), { fields: [{ name: 'a' }, { name: 'c' }], end: 10 })
})

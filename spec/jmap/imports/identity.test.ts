// Decision D12: what makes two imported messages the same.
import { hash } from 'node:crypto'
import t from 'tap'
import { identityOf } from '../../../jmap/imports/identity.ts'
import { parseMessage } from '../../../jmap/message/structure.ts'
import { inSmallHeap, moduleUrl } from '../../support/small-heap.ts'

function digest(body: string): string {
  const bytes = Buffer.from(`Message-ID: <a@b>\r\nFrom: a@b\r\n\r\n${body}`, 'latin1')
  return identityOf(bytes, parseMessage(bytes), hash('sha256', bytes, 'buffer')).digest
}

t.test('line ends and white space at the end do not matter, wherever a long text has them', async (t) => {
  for (let before = 65_530; before < 65_540; before++) {
    const text = `${'x'.repeat(before)}\n\ny\n\xe9 z`
    const same = digest(text)
    t.equal(digest(text.replaceAll('\n', '\r\n')), same, `CRLF after ${before}`)
    t.equal(digest(text.replaceAll('\n', '\r')), same, `CR after ${before}`)
    t.equal(digest(`${text} \r\n\t\xa0\r\n`), same)
    t.not(digest(text.replace('\n', '')), same, 'the control: an empty line less')
  }
})

t.test('a text of 4,000,000 lines takes little memory beside it', async (t) => {
  const code = `
    const { identityOf } = await import(${moduleUrl('../../jmap/imports/identity.ts')})
    const bytes = Buffer.alloc(12_000_000, 'a\\r\\n')
    const part = { type: 'text/plain', subParts: null, bodyStart: 0, bodyEnd: bytes.length, encoding: '7bit' }
    const parsed = { messageId: ['a@b'], from: null, sentAt: null, subject: null, structure: { parts: [part] } }
    return identityOf(bytes, parsed, Buffer.alloc(32)).digest.length`
  t.equal(await inSmallHeap(code), 24)
})

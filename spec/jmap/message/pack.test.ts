import t from 'tap'
import { packStructure, unpackStructure } from '../../../jmap/message/pack.ts'
import { parse } from './fixtures.ts'

const { structure } = parse(
  'Content-Type: multipart/mixed; boundary=b',
  '',
  '--b',
  'Content-Type: text/plain; charset=utf-8',
  'Content-Language: de, en',
  'Content-Transfer-Encoding: x-odd',
  '',
  'text',
  '--b',
  'Content-Type: image/png; name="a.png"',
  'Content-ID: <c@x>',
  'Content-Location: https://x/',
  'Content-Disposition: attachment',
  'Content-Transfer-Encoding: base64',
  '',
  'AAAA',
  '--b--',
)

t.test('a structure is restored from its stored form', async (t) => {
  t.strictSame(unpackStructure(JSON.parse(JSON.stringify(packStructure(structure)))), structure)
})

t.test('the stored form is much smaller than the structure', async (t) => {
  t.ok(JSON.stringify(packStructure(structure)).length * 3 < JSON.stringify(structure).length)
})

t.test('any other value than that of packStructure is refused', async (t) => {
  for (const value of [null, 1, 'x', {}, [], [2, 0, 0, [], [], [], []], [1]]) t.equal(unpackStructure(value), null)
})

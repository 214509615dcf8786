import fc from 'fast-check'
import t from 'tap'
import { JsonText, plain, plainResponse, type ResponseTree, writeJson } from '../../../jmap/protocol/json-text.ts'
import type { Json } from '../../../server/base/json.ts'
import { holds } from './holds.ts'

function response(args: ResponseTree['methodResponses'][number][1]): ResponseTree {
  return { methodResponses: [['Foo/get', args, 'c0']], sessionState: 's' }
}

t.test('text is accepted in place of a value as an argument and as an item', async (t) => {
  const tree = response({ first: new JsonText('{"a":1}'), list: [new JsonText('[2]'), 3, null], state: 'x' })
  t.equal(
    writeJson(tree),
    '{"methodResponses":[["Foo/get",{"first":{"a":1},"list":[[2],3,null],"state":"x"},"c0"]],"sessionState":"s"}',
  )
})

t.test('a response without text is written as JSON.stringify would', async (t) => {
  holds(
    t,
    fc.property(fc.dictionary(fc.string(), fc.jsonValue()), fc.string(), (args, callId) => {
      const tree = { methodResponses: [['Foo/get', args, callId]], sessionState: 's' } as unknown as ResponseTree
      return writeJson(tree) === JSON.stringify(tree)
    }),
  )
})

t.test('any value may be text, and the response has the same meaning', async (t) => {
  holds(
    t,
    fc.property(fc.array(fc.jsonValue()), fc.jsonValue(), (list, value) => {
      const texts = list.map((item, i) => (i % 2 === 0 ? new JsonText(JSON.stringify(item)) : (item as Json)))
      const tree = response({ list: texts, value: new JsonText(JSON.stringify(value)), __proto__x: true })
      const expected = JSON.stringify(response({ list: list as Json[], value: value as Json, __proto__x: true }))
      return writeJson(tree) === expected && JSON.stringify(plainResponse(tree)) === expected
    }),
  )
})

t.test('other members of the response are written: createdIds, and those of RFC 8887 4.3.3', async (t) => {
  const tree = { '@type': 'Response', requestId: 'R1', ...response({}), createdIds: { k: 'A1' }, left: undefined }
  t.strictSame(JSON.parse(writeJson(tree)), JSON.parse(JSON.stringify(tree)))
})

t.test('undefined arguments are omitted, also beside text', async (t) => {
  const args = { a: undefined, b: new JsonText('1'), c: undefined, d: 2 } as unknown as { [key: string]: Json }
  t.strictSame(JSON.parse(writeJson(response(args))).methodResponses[0][1], { b: 1, d: 2 })
})

t.test('text in any other place is written as its value', async (t) => {
  const tree = response({ deep: { deeper: new JsonText('{"a":1}') } } as never)
  t.match(writeJson(tree), /"deep":\{"deeper":\{"a":1\}\}/)
})

t.test('several responses keep their order', async (t) => {
  const tree: ResponseTree = {
    methodResponses: [
      ['A', { x: new JsonText('1') }, '0'],
      ['B', {}, '1'],
    ],
    sessionState: 's',
  }
  t.strictSame(JSON.parse(writeJson(tree)).methodResponses, [
    ['A', { x: 1 }, '0'],
    ['B', {}, '1'],
  ])
})

t.test('plain returns the same value if it contains no text', async (t) => {
  const value = [{ a: 1 }]
  t.equal(plain(value), value)
  t.strictSame(plain([new JsonText('{"b":2}'), 1]), [{ b: 2 }, 1])
})

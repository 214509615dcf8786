import t from 'tap'
import { getOwn, jsonEqual, quote, setOwn } from '../../../jmap/protocol/json-object.ts'
import { ERROR_QUOTE_MAX_CHARS } from '../../../server/base/limits.ts'

t.test('members are read and set as own members, including __proto__', async (t) => {
  const object: { [key: string]: number } = {}
  setOwn(object, '__proto__', 1)
  setOwn(object, 'a', 2)
  t.strictSame(Object.entries(object), [
    ['__proto__', 1],
    ['a', 2],
  ])
  t.equal(getOwn(object, '__proto__'), 1)
  t.equal(getOwn(object, 'constructor'), undefined)
})

t.test('values are equal as JSON: items in order, members in any order', async (t) => {
  t.ok(jsonEqual({ a: [1, { b: null }], c: 'x' }, { c: 'x', a: [1, { b: null }] }))
  t.notOk(jsonEqual([1, 2], [2, 1]))
  t.notOk(jsonEqual({ a: 1 }, { a: 1, b: 2 }))
  t.notOk(jsonEqual({ a: 1 }, { b: 1 }))
  t.notOk(jsonEqual({}, []))
  t.notOk(jsonEqual([], {}))
  t.notOk(jsonEqual(null, undefined))
  t.notOk(jsonEqual({}, null))
  t.notOk(jsonEqual(1, '1'))
})

t.test("a client's text is repeated short and without half a character", async (t) => {
  t.equal(quote('short'), 'short')
  const long = quote('😀'.repeat(ERROR_QUOTE_MAX_CHARS).slice(1))
  t.ok(long.isWellFormed())
  t.ok(long.length <= ERROR_QUOTE_MAX_CHARS + 3)
})

import fc from 'fast-check'
import t from 'tap'
import { arrayIndex, formatPatchPath, parsePatchPath, parsePointer } from '../../../jmap/protocol/pointer.ts'
import { JSON_MAX_DEPTH } from '../../../server/base/limits.ts'
import { holds } from './holds.ts'

t.test('the examples of RFC 6901 5 give its results', async (t) => {
  t.strictSame(parsePointer(''), [])
  t.strictSame(parsePointer('/'), [''])
  t.strictSame(parsePointer('/foo/0'), ['foo', '0'])
  t.strictSame(parsePointer('/a~1b'), ['a/b'])
  t.strictSame(parsePointer('/m~0n'), ['m~n'])
})

t.test('~01 is ~1 and not a slash (RFC 6901 4)', async (t) => {
  t.strictSame(parsePointer('/~01'), ['~1'])
})

t.test('an invalid pointer is recognised (RFC 6901 3)', async (t) => {
  for (const text of ['foo', '~', '/~', '/~2', '/a~', '/a~/b']) t.equal(parsePointer(text), null, text)
})

t.test('any tokens are restored from a pointer and a patch path', async (t) => {
  const token = fc.oneof(fc.string(), fc.stringMatching(/^[~/01#*-]*$/))
  holds(
    t,
    fc.property(fc.array(token, { minLength: 1, maxLength: 20 }), (tokens) => {
      const parsed = [parsePointer(`/${formatPatchPath(tokens)}`), parsePatchPath(formatPatchPath(tokens))]
      return parsed.every((path) => JSON.stringify(path) === JSON.stringify(tokens))
    }),
  )
})

t.test('a pointer deeper than any JSON here is refused', async (t) => {
  t.equal(parsePointer('/a'.repeat(JSON_MAX_DEPTH))?.length, JSON_MAX_DEPTH)
  t.equal(parsePointer('/a'.repeat(JSON_MAX_DEPTH + 1)), null)
  t.equal(parsePointer('/'.repeat(10_000_000)), null)
})

t.test('an index has no leading zero and no sign, and - is no item (RFC 6901 4)', async (t) => {
  t.equal(arrayIndex('0'), 0)
  t.equal(arrayIndex('10'), 10)
  for (const text of ['', '01', '-', '-1', '+1', '1.0', '1e3', ' 1']) t.equal(arrayIndex(text), null, text)
})

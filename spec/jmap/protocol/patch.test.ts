import fc from 'fast-check'
import t, { type Test } from 'tap'
import { applyTree, type DefaultOf, splitPatch } from '../../../jmap/protocol/patch.ts'
import { escapeToken } from '../../../jmap/protocol/pointer.ts'
import type { JsonObject } from '../../../server/base/json.ts'
import { holds } from './holds.ts'

const EMAIL: JsonObject = {
  id: 'E1',
  keywords: { $seen: true, '1': true, 'a/b~c': true },
  mailboxIds: { M1: true },
  alerts: { '1': { offset: '-PT5M', action: 'display' } },
  to: [{ name: 'a', email: 'a@example.com' }],
  subject: 'hello',
  sentAt: null,
}

function applyPatch(object: JsonObject, patch: JsonObject, defaultOf?: DefaultOf) {
  const split = splitPatch(patch)
  return 'error' in split ? split : applyTree(object, split.properties, defaultOf)
}

function patched(t: Test, patch: JsonObject, object = EMAIL): JsonObject | null {
  const result = applyPatch(object, patch)
  if ('value' in result) return result.value
  t.fail(result.error.type)
  return null
}

function invalid(t: Test, patch: JsonObject, description?: RegExp) {
  const before = structuredClone(EMAIL)
  const result = applyPatch(EMAIL, patch)
  t.match(result, { error: { type: 'invalidPatch', ...(description && { description }) } })
  t.strictSame(EMAIL, before, 'nothing was changed')
}

t.test('a path sets one member and leaves the rest (RFC 8620 5.3)', async (t) => {
  t.strictSame(patched(t, { 'keywords/$flagged': true, subject: 'bye' }), {
    ...EMAIL,
    keywords: { $seen: true, '1': true, 'a/b~c': true, $flagged: true },
    subject: 'bye',
  })
})

t.test('the given object is not changed, and unchanged parts are shared', async (t) => {
  const before = structuredClone(EMAIL)
  const value = patched(t, { 'alerts/1/offset': 'PT0S' })
  t.strictSame(EMAIL, before)
  t.equal(value?.['to'], EMAIL['to'])
})

t.test('several paths may meet in one object', async (t) => {
  const value = patched(t, { 'alerts/1/offset': 'PT0S', 'alerts/1/action': 'email', 'alerts/2': {} })
  t.strictSame(value?.['alerts'], { '1': { offset: 'PT0S', action: 'email' }, '2': {} })
})

t.test('null removes, also in maps, and removing a missing member is no error (RFC 8620 5.3)', async (t) => {
  const value = patched(t, { 'keywords/$seen': null, 'keywords/nothing': null, subject: null, other: null })
  t.strictSame(value?.['keywords'], { '1': true, 'a/b~c': true })
  t.notOk(Object.hasOwn(value!, 'subject'))
  t.notOk(Object.hasOwn(value!, 'other'))
})

t.test('null sets the default if there is one (RFC 8620 5.3)', async (t) => {
  const defaults: JsonObject = { subject: '', keywords: {}, 'alerts/1/action': 'display' }
  const result = applyPatch(EMAIL, { subject: null, keywords: null, 'alerts/1/action': null, to: null }, (path) => {
    return defaults[path.join('/')]
  })
  const { to: _, ...rest } = EMAIL
  t.strictSame(result, { value: { ...rest, subject: '', keywords: {} } })
})

t.test('~1 and ~0 mean / and ~', async (t) => {
  t.strictSame(patched(t, { 'keywords/a~1b~0c': null })?.['keywords'], { $seen: true, '1': true })
})

t.test('names that look like numbers are names', async (t) => {
  t.strictSame(patched(t, { 'keywords/1': null, 'keywords/01': true })?.['keywords'], {
    $seen: true,
    'a/b~c': true,
    '01': true,
  })
})

t.test('a whole object is a valid patch of itself (RFC 8620 5.3)', async (t) => {
  const { sentAt: _, ...rest } = EMAIL
  t.strictSame(patched(t, rest), EMAIL)
})

t.test('a patch that breaks a rule is invalidPatch and changes nothing (RFC 8620 5.3)', async (t) => {
  const cases: [string, JsonObject, RegExp][] = [
    ['a path into an array', { 'to/0/name': 'b' }, /'to' is an array/],
    ['an item of an array', { 'to/0': null }, /'to' is an array/],
    ['the end of an array', { 'to/-': {} }, /'to' is an array/],
    ['a parent that does not exist', { 'alerts/2/offset': 'PT0S' }, /'alerts\/2' does not exist/],
    ['a parent that is null', { 'sentAt/x': 1 }, /'sentAt' is not an object/],
    ['a parent that is a string', { 'subject/0': 'H' }, /'subject' is not an object/],
    ['removal below a parent that does not exist', { 'nothing/x': null }, /'nothing' does not exist/],
    ['a parent of Object.prototype', { 'constructor/x': 1 }, /'constructor' does not exist/],
    ['a parent made by the same patch', { 'alerts/2': {}, 'alerts/2/offset': 'PT0S' }, /overlap/],
    ['a prefix before', { alerts: {}, 'alerts/1/offset': 'PT0S' }, /overlap/],
    ['a prefix after', { 'alerts/1/offset': 'PT0S', alerts: {} }, /overlap/],
    ['a prefix by null', { 'keywords/$seen': true, keywords: null }, /overlap/],
    ['a bad escape', { 'keywords/a~2': true }, /not a path/],
    ['a leading slash', { '/subject': 'x' }, /does not exist/],
    ['a path too deep for any object', { ['a/'.repeat(1_000_000)]: 1 }, /not a path/],
  ]
  for (const [name, patch, description] of cases) t.test(name, async (t) => invalid(t, patch, description))
})

t.test('a name that begins like another is no prefix of it', async (t) => {
  t.strictSame(patched(t, { 'alerts/1/offset': 'x', alerts2: 1, 'alerts/10': 2 })?.['alerts'], {
    '1': { offset: 'x', action: 'display' },
    '10': 2,
  })
})

t.test('__proto__ is a name like any other', async (t) => {
  const value = patched(t, JSON.parse('{"__proto__":{"x":1},"keywords/__proto__":true}'))
  t.equal(Object.getPrototypeOf(value), Object.prototype)
  t.ok(Object.hasOwn(value!, '__proto__'))
  t.ok(Object.hasOwn(value!['keywords'] as object, '__proto__'))
  invalid(t, { '__proto__/polluted': true }, /does not exist/)
  t.notOk('polluted' in {})
})

t.test('splitPatch groups changes by property', async (t) => {
  const split = splitPatch({ subject: null, 'keywords/$seen': null, 'keywords/$flagged': true })
  t.strictSame('properties' in split && [...split.properties], [
    ['subject', { value: null }],
    [
      'keywords',
      {
        members: new Map([
          ['$seen', { value: null }],
          ['$flagged', { value: true }],
        ]),
      },
    ],
  ])
})

t.test('any change of members can be written as a patch', async (t) => {
  const map = fc.dictionary(fc.string(), fc.oneof(fc.boolean(), fc.string()))
  holds(
    t,
    fc.property(map, map, fc.string(), (from, to, property) => {
      const patch: { [key: string]: unknown } = Object.create(null)
      for (const key of Object.keys(from)) if (!Object.hasOwn(to, key)) patch[path(property, key)] = null
      for (const [key, value] of Object.entries(to)) patch[path(property, key)] = value
      const object = Object.fromEntries([[property, from]])
      const result = applyPatch(object, patch as JsonObject)
      return 'value' in result && sorted(result.value[property] as JsonObject) === sorted(to)
    }),
  )
})

t.test('a patch is either applied or invalidPatch, whatever its content', async (t) => {
  const key = fc.array(fc.constantFrom('a', 'b', '0', '~', '~1', '', '*', '__proto__'), { maxLength: 4 })
  const patches = fc.dictionary(
    key.map((parts) => parts.join('/')),
    fc.jsonValue(),
  )
  const object = JSON.parse('{"a":{"b":{"0":1},"0":[]},"b":[1],"__proto__":{"a":{}}}')
  holds(
    t,
    fc.property(patches, (patch) => {
      const result = applyPatch(object, patch as JsonObject)
      return 'value' in result || result.error.type === 'invalidPatch'
    }),
  )
})

function path(property: string, key: string): string {
  return `${escapeToken(property)}/${escapeToken(key)}`
}

function sorted(object: JsonObject): string {
  return JSON.stringify(Object.entries(object).sort(([a], [b]) => (a < b ? -1 : 1)))
}

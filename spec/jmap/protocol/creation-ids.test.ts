import t from 'tap'
import { CreationIds, type IdPlace } from '../../../jmap/protocol/creation-ids.ts'

const PLACES: { readonly [property: string]: IdPlace } = { mailboxIds: 'keys', parentId: 'id', emailIds: 'ids' }
const placeOf = (property: string) => (Object.hasOwn(PLACES, property) ? PLACES[property] : undefined)

function known(): CreationIds {
  const ids = new CreationIds({ c0: 'M0' })
  ids.add('c1', 'M1')
  return ids
}

t.test('a reference means the record created with that id, before or in this request (RFC 8620 5.3)', async (t) => {
  t.strictSame(known().resolveId('#c0'), { value: 'M0' })
  t.strictSame(known().resolveId('#c1'), { value: 'M1' })
})

t.test('an id without # is an id, even if it equals a creation id', async (t) => {
  t.strictSame(known().resolveId('c0'), { value: 'c0' })
})

t.test('an unknown creation id is reported', async (t) => {
  t.strictSame(known().resolveId('#c9'), { unknown: 'c9' })
  t.strictSame(known().resolveId('#'), { unknown: '' })
  t.strictSame(known().resolveId('#constructor'), { unknown: 'constructor' })
})

t.test('of two records with one creation id the latest counts (RFC 8620 5.3)', async (t) => {
  const ids = known()
  ids.add('c0', 'M7')
  t.strictSame(ids.resolveId('#c0'), { value: 'M7' })
})

t.test('the final map has the given and the added ids (RFC 8620 3.4)', async (t) => {
  const ids = known()
  ids.add('__proto__', 'M2')
  t.strictSame(Object.entries(ids.toObject()), [
    ['c0', 'M0'],
    ['c1', 'M1'],
    ['__proto__', 'M2'],
  ])
  t.strictSame(new CreationIds().toObject(), {})
})

t.test('lists and keys are resolved whole, or the unknown one is reported', async (t) => {
  t.strictSame(known().resolveIds(['#c0', 'x', '#c1']), { value: ['M0', 'x', 'M1'] })
  t.strictSame(known().resolveIds(['#c0', '#c9']), { unknown: 'c9' })
  t.strictSame(known().resolveKeys({ '#c0': true, x: true }), { value: { M0: true, x: true } })
  t.strictSame(known().resolveKeys({ '#c9': true }), { unknown: 'c9' })
})

t.test('an object to create is resolved only in properties that hold ids', async (t) => {
  const object = { parentId: '#c0', emailIds: ['#c1'], mailboxIds: { '#c0': true }, subject: '#c0', tags: { '#c0': 1 } }
  t.strictSame(known().resolveProperties(object, placeOf), {
    value: { parentId: 'M0', emailIds: ['M1'], mailboxIds: { M0: true }, subject: '#c0', tags: { '#c0': 1 } },
  })
})

t.test('patch paths are resolved in the place of the id', async (t) => {
  const patch = { 'mailboxIds/#c0': true, 'mailboxIds/M3': null, 'tags/#c0': 1, parentId: null }
  t.strictSame(known().resolveProperties(patch, placeOf), {
    value: { 'mailboxIds/M0': true, 'mailboxIds/M3': null, 'tags/#c0': 1, parentId: null },
  })
})

t.test('the rest of a path keeps its escapes', async (t) => {
  t.strictSame(known().resolveProperties({ 'mailboxIds/#c0/a~1b': 1 }, placeOf), {
    value: { 'mailboxIds/M0/a~1b': 1 },
  })
})

t.test('unknown references are invalidProperties that name every property (RFC 8620 5.3)', async (t) => {
  const patch = { 'mailboxIds/#c8': true, 'mailboxIds/#c9': true, parentId: '#c9', emailIds: ['#c0'] }
  t.match(known().resolveProperties(patch, placeOf), {
    error: { type: 'invalidProperties', properties: ['mailboxIds', 'parentId'], description: /'c9'/ },
  })
})

t.test('two paths that become the same are invalidPatch', async (t) => {
  t.match(known().resolveProperties({ 'mailboxIds/#c0': true, 'mailboxIds/M0': null }, placeOf), {
    error: { type: 'invalidPatch', description: /'mailboxIds\/M0'/ },
  })
})

t.test('values of a wrong type and malformed paths are left for validation', async (t) => {
  const object = { parentId: 1, emailIds: ['#c0', 2], mailboxIds: ['#c0'], 'mailboxIds/~2': '#c0', 'parentId/#c0': 1 }
  t.strictSame(known().resolveProperties(object, placeOf), { value: object })
})

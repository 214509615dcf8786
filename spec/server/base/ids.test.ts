// Decision D29: ids identify their account, and only ids of this installation are valid.
import fc from 'fast-check'
import t from 'tap'
import { CalendarEvent } from '../../../jmap/calendars/event/calendar-event.type.ts'
import { BLOB_ID } from '../../../jmap/mail/blob/blobs.ts'
import { Email } from '../../../jmap/mail/email/email.type.ts'
import { isId } from '../../../jmap/protocol/primitives.ts'
import { createStandardRegistry } from '../../../jmap/standard-registry.ts'
import { BLOB_PATH_MAX, IdCodec, type IdKind, randomId } from '../../../server/base/ids.ts'
import { INSTANCE_KEY_MAX } from '../../../server/base/limits.ts'

const codec = new IdCodec(new Uint8Array([1, 2, 3, 4, 5, 6, 7, 8]))
const KINDS: readonly IdKind[] = [BLOB_ID, ...createStandardRegistry().types.map(({ type }) => type)].filter(
  ({ idPrefix }) => idPrefix !== 'singleton',
)
const ACCOUNT_MAX = 2 ** 40 - 1
const OBJECT_MAX = 2 ** 48 - 1

t.test('an id decodes to its numbers, and is an Id of JMAP (RFC 8620 1.2)', async (t) => {
  const path = fc.array(fc.integer({ min: 1, max: 65_535 }), { maxLength: BLOB_PATH_MAX })
  const numbers = [fc.nat(ACCOUNT_MAX), fc.nat(OBJECT_MAX), path] as const
  const outcome = fc.check(
    fc.property(fc.constantFrom(...KINDS), ...numbers, (kind, account, object, steps) => {
      const id = codec.encode(kind, account, object, steps)
      const wanted = { account, object, part: steps[0] ?? 0, path: steps }
      return isId(id) && JSON.stringify(codec.decode(kind, id)) === JSON.stringify(wanted)
    }),
    { numRuns: 500 },
  )
  t.notOk(outcome.failed, JSON.stringify(outcome.counterexample))
  t.same(codec.decode(BLOB_ID, codec.encode(BLOB_ID, 1, 2, 3)), { account: 1, object: 2, part: 3, path: [3] })
})

t.test('an id of an instance decodes to its object and its key, and is an id of nothing else', async (t) => {
  const key = fc.nat(INSTANCE_KEY_MAX)
  const outcome = fc.check(
    fc.property(
      fc.constantFrom(...KINDS),
      fc.nat(ACCOUNT_MAX),
      fc.nat(OBJECT_MAX),
      fc.array(key, { minLength: 2, maxLength: 4 }),
      (kind, account, object, keys) => {
        const objects = keys.map((_, i) => (i % 2 === 0 ? object : OBJECT_MAX - object))
        const encoder = codec.instanceEncoder(kind, account)
        const ids = keys.map((one, i) => encoder.id(objects[i]!, one))
        return ids.every(
          (id, i) =>
            isId(id) &&
            codec.decode(kind, id) === null &&
            JSON.stringify(codec.decodeInstance(kind, id)) ===
              JSON.stringify({ account, object: objects[i], key: keys[i] }),
        )
      },
    ),
    {
      numRuns: 200,
      seed: 1,
      examples: [
        [KINDS[0]!, 1, 2, [0, 1]],
        [KINDS[0]!, 1, 2, [60, 60 * 2 ** 31, 60]],
        [KINDS[0]!, 1, 2, [INSTANCE_KEY_MAX, 2 ** 32]],
      ],
    },
  )
  t.notOk(outcome.failed, JSON.stringify(outcome.counterexample))
  const [first, second] = [codec.instanceEncoder(CalendarEvent, 1), codec.instanceEncoder(CalendarEvent, 2)]
  t.not(first.id(5, 7), second.id(5, 7), 'each is of its account')
})

t.test(
  'an id of an instance names an object that this installation has named, and a key within the bound',
  async (t) => {
    const id = codec.instanceEncoder(CalendarEvent, 7).id(99, 0)
    t.ok(codec.decodeInstance(CalendarEvent, id), 'control')
    const object = codec.encode(CalendarEvent, 7, 99)
    t.equal(codec.decodeInstance(CalendarEvent, object), null, 'it has no key')
    for (let at = 0; at < object.length; at++) {
      const changed = id.slice(0, at) + (id[at] === 'z' ? 'y' : 'z') + id.slice(at + 1)
      t.equal(codec.decodeInstance(CalendarEvent, changed), null, changed)
    }
    for (const key of ['aaaaaa-a', 'aaaaaaaA', 'aaaaaaa1', 'aaaaaaa', 'aaaaaaaaa', '77777777'])
      t.equal(codec.decodeInstance(CalendarEvent, object + key), null, key)
    const other = new IdCodec(new Uint8Array([1, 2, 3, 4, 5, 6, 7, 9]))
    t.equal(other.decodeInstance(CalendarEvent, id), null, 'another installation')
    t.equal(codec.decodeInstance(Email, id), null, 'another kind')
  },
)

t.test('an id with any other character is invalid', async (t) => {
  for (const id of [codec.encode(Email, 7, 99), codec.encode(BLOB_ID, 7, 99, [1, 2])]) {
    const kind = id.startsWith('blb') ? BLOB_ID : Email
    t.ok(codec.decode(kind, id), 'control')
    for (let at = 0; at < id.length; at++)
      for (const other of ['a', 'z', '2', 'A', '-']) {
        const changed = id.slice(0, at) + other + id.slice(at + 1)
        if (changed !== id) t.equal(codec.decode(kind, changed), null, changed)
      }
    for (const changed of [id.slice(0, -1), `${id}a`, `${id}aa`, `x${id}`, id.toUpperCase(), id.replace('_', ''), ''])
      t.equal(codec.decode(kind, changed), null, changed)
  }
})

t.test('none of 10,000 guessed ids is valid', async (t) => {
  const guesses = fc.sample(
    fc.array(fc.constantFrom(...'abcdefghijklmnopqrstuvwxyz234567'), { minLength: 24, maxLength: 24 }),
    {
      numRuns: 10_000,
      seed: 5,
    },
  )
  t.same(
    guesses.filter((letters) => codec.decode({ idPrefix: 'mbx' }, `mbx_${letters.join('')}`)),
    [],
  )
})

t.test("an id of one kind is invalid as another, also under the other's prefix", async (t) => {
  for (const kind of KINDS)
    for (const other of KINDS) {
      const id = codec.encode(kind, 3, 4)
      const renamed = id.replace(kind.idPrefix, other.idPrefix)
      t.equal(codec.decode(other, id) !== null, kind === other, `${kind.idPrefix} as ${other.idPrefix}`)
      t.equal(codec.decode(other, renamed) !== null, kind === other, `${kind.idPrefix} renamed to ${other.idPrefix}`)
    }
  t.equal(new Set(KINDS.map(({ idPrefix }) => idPrefix)).size, KINDS.length, 'no two kinds have one prefix')
})

t.test('an id of another installation is invalid here', async (t) => {
  const other = new IdCodec(new Uint8Array([1, 2, 3, 4, 5, 6, 7, 9]))
  t.equal(codec.decode(Email, other.encode(Email, 1, 1)), null)
  t.ok(other.decode(Email, other.encode(Email, 1, 1)), 'control')
  t.throws(() => new IdCodec(new Uint8Array(7)), { name: 'RangeError' })
})

t.test('numbers that do not fit give no id', async (t) => {
  for (const [account, object] of [
    [ACCOUNT_MAX + 1, 0],
    [1, OBJECT_MAX + 1],
    [-1, 0],
    [1, -1],
    [1, Number.NaN],
  ] as const)
    t.throws(() => codec.encode(Email, account, object), { name: 'RangeError' })
  t.throws(() => codec.encode(BLOB_ID, 1, 1, 65_536), { name: 'RangeError' })
})

t.test('random ids differ, and are Ids of JMAP', async (t) => {
  const ids = Array.from({ length: 2_000 }, () => randomId('req'))
  t.equal(new Set(ids).size, ids.length)
  t.same(
    ids.filter((id) => !/^req_[a-z2-7]{20}$/.test(id)),
    [],
  )
})

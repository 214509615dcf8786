import fc from 'fast-check'
import t, { type Test } from 'tap'
import { parseIJson } from '../../../jmap/protocol/i-json.ts'
import type { JmapRequest } from '../../../jmap/protocol/messages.ts'
import { parseRequest } from '../../../jmap/protocol/request.ts'
import { JSON_MAX_DEPTH, JSON_MAX_VALUES } from '../../../server/base/limits.ts'
import { holds } from './holds.ts'

const LIMITS = { maxSizeRequest: 100_000, maxCallsInRequest: 4 }
const PREFIX = 'urn:ietf:params:jmap:error:'

function parse(body: unknown, limits = LIMITS) {
  const bytes = body instanceof Uint8Array ? body : Buffer.from(typeof body === 'string' ? body : JSON.stringify(body))
  return parseRequest(bytes, limits)
}

function echo(argument: string): string {
  return `{"using":["urn:ietf:params:jmap:core"],"methodCalls":[["Core/echo",{"a":${argument}},"c0"]]}`
}

function refused(t: Test, body: unknown, error: string, detail?: RegExp) {
  const parsed = parse(body)
  if (!('problem' in parsed)) return t.fail('must be refused')
  t.equal(parsed.problem.type, PREFIX + error)
  t.equal(parsed.problem.status, 400)
  if (detail) t.match(parsed.problem.detail, detail)
}

function accepted(t: Test, body: unknown): JmapRequest | null {
  const parsed = parse(body)
  if ('request' in parsed) return parsed.request
  t.fail(parsed.problem.detail)
  return null
}

t.test('a valid Request is accepted unchanged (RFC 8620 3.3)', async (t) => {
  const request = {
    using: ['urn:ietf:params:jmap:core'],
    methodCalls: [['Core/echo', { hello: true, high: 5 }, 'b3ff']],
    createdIds: { k1: 'A1' },
  }
  t.strictSame(accepted(t, request), request)
})

t.test('an empty using and no calls are a Request', async (t) => {
  t.strictSame(accepted(t, { using: [], methodCalls: [] }), { using: [], methodCalls: [] })
})

t.test('unknown properties are ignored (RFC 8620 3.3)', async (t) => {
  t.strictSame(accepted(t, { using: [], methodCalls: [], future: { a: 1 } }), { using: [], methodCalls: [] })
})

t.test('escapes in a method name mean the same name (RFC 8259 7)', async (t) => {
  const request = accepted(t, '{"using":[],"methodCalls":[["Core\\/echo",{},"c"]]}')
  t.equal(request?.methodCalls[0]?.[0], 'Core/echo')
})

t.test('a byte order mark is ignored (RFC 8259 8.1)', async (t) => {
  t.ok(accepted(t, `\ufeff${echo('1')}`))
})

t.test('text that is not I-JSON is notJSON (RFC 8620 3.6.1, RFC 7493 2)', async (t) => {
  const cases: [string, unknown, RegExp][] = [
    ['no text at all', '', /not JSON/],
    ['a text that breaks off', '{"using":[', /not JSON/],
    ['a trailing comma', '{"using":[],}', /not JSON, at character 12/],
    ['text after the value', '{} {}', /not JSON/],
    ['invalid UTF-8', Buffer.from([0x22, 0xc3, 0x28, 0x22]), /UTF-8/],
    ['a surrogate in UTF-8', Buffer.from([0x22, 0xed, 0xa0, 0x80, 0x22]), /UTF-8/],
    ['half a surrogate pair', echo('"\\ud83d"'), /surrogate/],
    ['the second half alone', echo('"\\ude00"'), /surrogate/],
    ['halves in the wrong order', echo('"\\ude00\\ud83d"'), /surrogate/],
    ['a half in a name', echo('{"\\uD800":1}'), /surrogate/],
    ['a name twice', echo('{"name":1,"name":1}'), /two members named 'name'/],
    ['a name twice, once escaped', echo('{"x":[{"name":"{"}],"n":1,"\\u006e":1}'), /two members named 'n'/],
    ['__proto__ twice', echo('{"__proto__":1,"__proto__":2}'), /two members named '__proto__'/],
    ['a number no double holds', echo('1e400'), /too large/],
  ]
  for (const [name, body, detail] of cases) {
    t.test(name, async (t) => refused(t, body, 'notJSON', detail))
  }
})

t.test('text that resembles a fault is accepted as I-JSON', async (t) => {
  const cases: [string, string, unknown][] = [
    ['a whole surrogate pair', '"\\ud83d\\uDE00"', '😀'],
    ['an escaped backslash before u', '"\\\\ud83d"', '\\ud83d'],
    ['colons, brackets and quotes in strings', '"{\\":[[}}:\\\\"', '{":[[}}:\\'],
    ['one name in two objects', '[{"n":1},{"n":{"n":2}}]', [{ n: 1 }, { n: { n: 2 } }]],
    ['the same text as name and value', '{"n":"n","m":"n"}', { n: 'n', m: 'n' }],
    ['white space around a colon', '{ "n" \n:\t1 }', { n: 1 }],
    ['the largest double', '1.7976931348623157e308', Number.MAX_VALUE],
  ]
  for (const [name, argument, value] of cases) {
    t.test(name, async (t) => {
      t.strictSame(accepted(t, echo(argument))?.methodCalls[0]?.[1]['a'], value)
    })
  }
})

t.test('a syntax error is reported without the text, which may hold secrets', async (t) => {
  const parsed = parse('{"password":"hunter2" oops}')
  t.notMatch(JSON.stringify(parsed), /hunter2|oops/)
  t.match(parsed, { problem: { detail: /at character 22/ } })
})

t.test('JSON nests as deep as the limit and no deeper', async (t) => {
  const wrapped = 4 // the request, methodCalls, the call and its arguments
  const nest = (depth: number) => echo('['.repeat(depth) + ']'.repeat(depth))
  t.ok(accepted(t, nest(JSON_MAX_DEPTH - wrapped)))
  refused(t, nest(JSON_MAX_DEPTH - wrapped + 1), 'notJSON', /deeper/)
  refused(t, nest(10_000), 'notJSON', /deeper/)
})

t.test('JSON that is not a Request is notRequest (RFC 8620 3.6.1)', async (t) => {
  const bodies = [
    'null',
    '1',
    '[]',
    '{}',
    '{"using":[]}',
    '{"methodCalls":[]}',
    '{"using":null,"methodCalls":[]}',
    '{"using":"urn:ietf:params:jmap:core","methodCalls":[]}',
    '{"using":[1],"methodCalls":[]}',
    '{"using":[],"methodCalls":{}}',
    '{"using":[],"methodCalls":["Core/echo"]}',
    '{"using":[],"methodCalls":[["Core/echo",{}]]}',
    '{"using":[],"methodCalls":[["Core/echo",{},"a","b"]]}',
    '{"using":[],"methodCalls":[["Core/echo",null,"a"]]}',
    '{"using":[],"methodCalls":[["Core/echo",[],"a"]]}',
    '{"using":[],"methodCalls":[[1,{},"a"]]}',
    '{"using":[],"methodCalls":[["Core/echo",{},1]]}',
    '{"using":[],"methodCalls":[],"createdIds":null}',
    '{"using":[],"methodCalls":[],"createdIds":[]}',
    '{"using":[],"methodCalls":[],"createdIds":{"k":1}}',
    '{"using":[],"methodCalls":[],"createdIds":{"k":"not an id"}}',
    '{"using":[],"methodCalls":[],"createdIds":{"":"A1"}}',
    '{"__proto__":{"using":[],"methodCalls":[]}}',
  ]
  for (const body of bodies) t.test(body, async (t) => refused(t, body, 'notRequest'))
})

t.test('notRequest names the call that is wrong', async (t) => {
  refused(t, { using: [], methodCalls: [['Core/echo', {}, 'a'], ['Core/echo']] }, 'notRequest', /methodCalls\[1\]/)
})

t.test('octets beyond maxSizeRequest are a limit problem that names the limit (RFC 8620 3.6.1)', async (t) => {
  const body = echo('"x"')
  const exact = { ...LIMITS, maxSizeRequest: body.length }
  t.ok('request' in parse(body, exact))
  const parsed = parse(`${body} `, exact)
  t.match(parsed, { problem: { type: `${PREFIX}limit`, status: 400, limit: 'maxSizeRequest' } })
})

t.test('the size is checked before the text', async (t) => {
  t.match(parse('['.repeat(200_000)), { problem: { limit: 'maxSizeRequest' } })
})

t.test('calls beyond maxCallsInRequest are a limit problem that names the limit (RFC 8620 3.6.1)', async (t) => {
  const calls = (count: number) => ({ using: [], methodCalls: Array(count).fill(['Core/echo', {}, 'c']) })
  t.ok('request' in parse(calls(4)))
  t.match(parse(calls(5)), { problem: { type: `${PREFIX}limit`, limit: 'maxCallsInRequest' } })
})

t.test('a member named __proto__ is data and changes no prototype', async (t) => {
  const args = accepted(t, echo('{"__proto__":{"admin":true}}'))?.methodCalls[0]?.[1]['a'] as object
  t.strictSame(Object.keys(args), ['__proto__'])
  t.equal(Object.getPrototypeOf(args), Object.prototype)
  t.notOk('admin' in {})
})

t.test('a hundred thousand members and long strings are accepted', async (t) => {
  const members = Array.from({ length: 100_000 }, (_, i) => `"k${i}":"${i}"`).join(',')
  const limits = { ...LIMITS, maxSizeRequest: 50_000_000 }
  const many = parse(echo(`{${members}}`), limits)
  t.equal('request' in many && Object.keys(many.request.methodCalls[0]![1]['a'] as object).length, 100_000)
  t.match(parse(echo(`{${members},"k99999":1}`), limits), { problem: { detail: /'k99999'/ } })
  t.ok('request' in parse(echo(`"${'\\"'.repeat(5_000_000)}"`), limits))
})

/** Texts with quotes, backslashes, escapes and letters of every length, long and short. */
const texts = fc.array(
  fc.oneof(
    fc.constantFrom('"', '\\', '\\\\', '\\"', '\n', '\u0001', ':', ',', '{', ']', '\ud83d\ude00'),
    fc.string({ unit: 'binary', maxLength: 5 }),
    fc.nat(200).map((length) => 'x'.repeat(length)),
  ),
  { maxLength: 20 },
)

t.test('strings of every length are read as JSON.parse reads them', async (t) => {
  holds(
    t,
    fc.property(fc.array(texts), (lists) => {
      const value = lists.map((pieces) => ({ [pieces.join('')]: pieces.join('') }))
      const parsed = parse(echo(JSON.stringify(value)))
      return 'request' in parsed && JSON.stringify(parsed.request.methodCalls[0]![1]['a']) === JSON.stringify(value)
    }),
  )
})

t.test('a long text with line ends and quotes is searched once, and read to its end', async (t) => {
  for (const line of [
    'a line that is longer than what is read octet by octet\\n',
    `${'x'.repeat(40)}\\"`,
    `\\\\${'y'.repeat(40)}`,
  ]) {
    const json = `{"text":"${line.repeat(5_000)}","more":"${line}"}`
    const text = Buffer.from(json)
    let searched = 0
    const indexOf = (octet: number, from: number) => {
      const at = text.indexOf(octet, from)
      searched += (at < 0 ? json.length : at) - from
      return at
    }
    t.same(parseIJson(Object.assign(Buffer.from(json), { indexOf })), { value: JSON.parse(json) })
    t.ok(searched > json.length / 20, 'control')
    t.ok(searched < json.length * 3, `${searched} of ${json.length} octets`)
  }
})

t.test('half of a surrogate pair is found at any position', async (t) => {
  holds(
    t,
    fc.property(texts, texts, fc.constantFrom('\\ud83d', '\\ude00', '\\uD800\\n'), (before, after, half) => {
      const [head, tail] = [before, after].map((pieces) => JSON.stringify(pieces.join('')).slice(1, -1))
      // The text before must not complete it to a pair.
      const parsed = parse(echo(`["${head}","${half} ${tail}"]`))
      return 'problem' in parsed && parsed.problem.type === `${PREFIX}notJSON`
    }),
  )
})

t.test('JSON has as many values as the limit and no more', async (t) => {
  const limits = { ...LIMITS, maxSizeRequest: 10_000_000 }
  const of = (values: number) => parse(echo(`[${'1,'.repeat(values - 1)}1]`), limits)
  t.ok('request' in of(JSON_MAX_VALUES - 10))
  t.match(of(JSON_MAX_VALUES + 1), { problem: { type: `${PREFIX}notJSON`, detail: /more than \d+ values/ } })
})

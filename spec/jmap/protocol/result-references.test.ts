import t, { type Test } from 'tap'
import { MethodError } from '../../../jmap/protocol/errors.ts'
import { JsonText, type ResponseInvocation } from '../../../jmap/protocol/json-text.ts'
import { newReferenceBudget, resolveReferences } from '../../../jmap/protocol/result-references.ts'
import type { JsonObject } from '../../../server/base/json.ts'

// The example of RFC 8620 3.7, with one of its lists stored as text.
const RESPONSES: ResponseInvocation[] = [
  ['Email/query', { accountId: 'A1', ids: ['msg1023', 'msg223'], total: 101, none: null, 'a/b~c': 7 }, 't0'],
  [
    'Email/get',
    {
      list: [new JsonText('{"id":"msg1023","threadId":"trd194"}'), { id: 'msg223', threadId: 'trd114' }],
      notFound: [],
    },
    't1',
  ],
  [
    'Thread/get',
    { list: new JsonText('[{"id":"trd194","emailIds":["m1","m2"]},{"id":"trd114","emailIds":["m3"]}]'), empty: [] },
    't2',
  ],
  ['EmailSubmission/set', { created: null, nested: [[['a'], ['b']], [['c']]] }, 't3'],
  ['Email/set', { updated: { m1: null } }, 't3'],
  ['error', { type: 'unknownMethod' }, 't4'],
]

function resolve(args: JsonObject): JsonObject {
  return resolveReferences(args, RESPONSES, newReferenceBudget())
}

function reference(resultOf: string, name: string, path: string): JsonObject {
  return { '#ids': { resultOf, name, path } }
}

function rejected(t: Test, args: JsonObject, type: string, description?: RegExp) {
  const error = caught(() => resolve(args))
  t.ok(error instanceof MethodError)
  t.match(error, { type, ...(description && { description }) })
}

t.test('a reference is replaced by its value, and other arguments stay (RFC 8620 3.7)', async (t) => {
  const args = resolve({ accountId: 'A1', ...reference('t0', 'Email/query', '/ids'), properties: ['threadId'] })
  t.strictSame(args, { accountId: 'A1', ids: ['msg1023', 'msg223'], properties: ['threadId'] })
})

t.test('arguments without a reference are the same object', async (t) => {
  const args = { ids: ['#k1'], filter: { '#x': 1 } }
  t.equal(resolve(args), args)
})

t.test('* maps the rest of the path over an array, also through stored text', async (t) => {
  t.strictSame(resolve(reference('t1', 'Email/get', '/list/*/threadId')), { ids: ['trd194', 'trd114'] })
})

t.test('* flattens arrays by one level', async (t) => {
  t.strictSame(resolve(reference('t2', 'Thread/get', '/list/*/emailIds')), { ids: ['m1', 'm2', 'm3'] })
  t.strictSame(resolve(reference('t3', 'EmailSubmission/set', '/nested/*')), { ids: [['a'], ['b'], ['c']] })
  t.strictSame(resolve(reference('t3', 'EmailSubmission/set', '/nested/*/*')), { ids: ['a', 'b', 'c'] })
})

t.test('an empty result is [] and no error', async (t) => {
  t.strictSame(resolve(reference('t1', 'Email/get', '/notFound')), { ids: [] })
  t.strictSame(resolve(reference('t2', 'Thread/get', '/empty/*/emailIds')), { ids: [] })
})

t.test('an existing null is a value', async (t) => {
  t.strictSame(resolve(reference('t0', 'Email/query', '/none')), { ids: null })
  t.strictSame(resolve(reference('t3', 'EmailSubmission/set', '/created')), { ids: null })
})

t.test('indexes, escapes and the empty path follow RFC 6901', async (t) => {
  t.strictSame(resolve(reference('t0', 'Email/query', '/ids/1')), { ids: 'msg223' })
  t.strictSame(resolve(reference('t0', 'Email/query', '/a~1b~0c')), { ids: 7 })
  t.strictSame(resolve(reference('t2', 'Thread/get', '/list/0/emailIds/1')), { ids: 'm2' })
  t.strictSame(resolve(reference('t4', 'error', '')), { ids: { type: 'unknownMethod' } })
  t.strictSame(resolve(reference('t1', 'Email/get', '/list')), {
    ids: [
      { id: 'msg1023', threadId: 'trd194' },
      { id: 'msg223', threadId: 'trd114' },
    ],
  })
})

t.test('only a path through a text parses it', async (t) => {
  const broken = [['Foo/get', { list: [new JsonText('not JSON')], state: 's' }, 'c']] as ResponseInvocation[]
  const args = reference('c', 'Foo/get', '/state')
  t.strictSame(resolveReferences(args, broken, newReferenceBudget()), { ids: 's' })
})

t.test('an unresolvable reference is invalidResultReference (RFC 8620 3.7)', async (t) => {
  const cases: [string, JsonObject, RegExp][] = [
    ['a call id of no earlier call', reference('t9', 'Email/query', '/ids'), /'t9'/],
    ['another name than the response has', reference('t0', 'Email/get', '/ids'), /'Email\/get'/],
    ['the name of an error', reference('t4', 'Email/get', '/ids'), /'Email\/get'/],
    ['the name of a later response to the call', reference('t3', 'Email/set', '/updated'), /'Email\/set'/],
    ['a member that is not there', reference('t0', 'Email/query', '/idz'), /'\/idz'/],
    ['a member of Object.prototype', reference('t0', 'Email/query', '/constructor'), /constructor/],
    ['an index past the end', reference('t0', 'Email/query', '/ids/2'), /ids\/2/],
    ['an index with a leading zero', reference('t0', 'Email/query', '/ids/01'), /ids\/01/],
    ['the length of an array', reference('t0', 'Email/query', '/ids/length'), /length/],
    ['* on an object', reference('t3', 'Email/set', '/updated/*'), /./],
    ['* on null', reference('t3', 'EmailSubmission/set', '/created/*'), /./],
    ['a member that one item lacks', reference('t1', 'Email/get', '/list/*/subject'), /./],
    ['a path without its slash', reference('t0', 'Email/query', 'ids'), /JSON Pointer/],
    ['a path into a string', reference('t0', 'Email/query', '/ids/0/0'), /./],
    ['a reference that is no object', { '#ids': 't0' }, /object/],
    ['a reference that is null', { '#ids': null }, /object/],
    ['a reference without a path', { '#ids': { resultOf: 't0', name: 'Email/query' } }, /path/],
  ]
  for (const [name, args, description] of cases) {
    t.test(name, async (t) => rejected(t, args, 'invalidResultReference', description))
  }
})

t.test('the same argument as a value and as a reference is invalidArguments (RFC 8620 3.7)', async (t) => {
  rejected(t, { ids: null, ...reference('t0', 'Email/query', '/ids') }, 'invalidArguments', /'ids'/)
  rejected(t, { ids: null, '#ids': 'not even a reference' }, 'invalidArguments')
})

t.test('a reference named __proto__ changes no prototype', async (t) => {
  const args = resolve(JSON.parse('{"#__proto__":{"resultOf":"t0","name":"Email/query","path":"/ids"}}'))
  t.strictSame(Object.keys(args), ['__proto__'])
  t.equal(Object.getPrototypeOf(args), Object.prototype)
})

t.test('calls that each refer several times to the one before are limited', async (t) => {
  const budget = newReferenceBudget()
  const responses: ResponseInvocation[] = [['Core/echo', { a: ['x'.repeat(100)] }, 'c0']]
  const call = (i: number) => {
    const args: { [key: string]: JsonObject } = {}
    for (let k = 0; k < 10; k++) args[`#${k}`] = { resultOf: `c${i}`, name: 'Core/echo', path: '' }
    responses.push(['Core/echo', resolveReferences(args, responses, budget), `c${i + 1}`])
  }
  for (let i = 0; i < 3; i++) call(i)
  const failure = caught(() => {
    for (let i = 3; i < 60; i++) call(i)
  })
  t.match(failure, { type: 'invalidResultReference', description: /too much/ })
})

t.test('many references to one long list are limited', async (t) => {
  const budget = newReferenceBudget()
  const responses: ResponseInvocation[] = [['Foo/get', { list: Array(1_000).fill({ none: [] }) }, 'c0']]
  const path = '/list/*/none/*'
  const args = (count: number) => {
    const reference = { resultOf: 'c0', name: 'Foo/get', path }
    return Object.fromEntries(Array.from({ length: count }, (_, i) => [`#${i}`, reference]))
  }
  t.strictSame(resolveReferences(args(1), responses, budget), { '0': [] })
  const failure = caught(() => resolveReferences(args(10_000), responses, budget))
  t.match(failure, { type: 'invalidResultReference', description: /too much/ })
})

function caught(fn: () => unknown): unknown {
  try {
    fn()
    return null
  } catch (error) {
    return error
  }
}

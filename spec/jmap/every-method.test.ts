/** Arguments of every registered method, of every wrong type: generated, so that a new method is included (RFC 8620 3.9, promise J4). */
import t from 'tap'
import { faultOf } from '../../jmap/type/validate.ts'
import type { Json, JsonObject } from '../../server/base/json.ts'
import type { Result } from '../support/core.ts'
import { startEverything } from './everything.ts'

const { methods, types, calls, required, accountOf, started, hello } = await startEverything(t)
const ours = methods.filter(({ access }) => access !== null)

/** Values of every JSON type, and some that are almost right. */
const VALUES: readonly Json[] = [
  null,
  true,
  false,
  0,
  -1,
  1.5,
  2 ** 53,
  1e300,
  '',
  'x',
  '#none',
  'x'.repeat(10_000),
  '\u0000',
  [],
  [null],
  [1, 'x'],
  [['x']],
  [{}],
  {},
  { x: null },
  { x: 1 },
  { '#x': {} },
  { 'x/y': { z: [] } },
  JSON.parse('{"__proto__": {"x": 1}, "constructor": {"prototype": {"x": 1}}}') as Json,
]

/** Returns the responses; none of them may be a server failure. */
async function run(all: readonly (readonly [string, JsonObject])[]): Promise<readonly (readonly [string, Result])[]> {
  const answers = await calls(all)
  const broken = answers.findIndex(([, { type }]) => type === 'serverFail' || type === 'serverUnavailable')
  if (broken >= 0) throw new Error(`broke inside: ${JSON.stringify(all[broken]).slice(0, 300)}`)
  return answers
}

t.test('an argument of a wrong type is invalidArguments, and named (RFC 8620 3.9)', async (t) => {
  const wrong = methods.flatMap((method) =>
    Object.entries(method.args ?? {}).flatMap(([name, property]) =>
      VALUES.filter((value) => faultOf(property, value)).map((value) => ({ method, name, value })),
    ),
  )
  t.ok(wrong.length > 1_000, `${wrong.length} calls`)
  const answers = await run(
    wrong.map(({ method, name, value }) => [method.name, { ...required(method), [name]: value }]),
  )
  const passed = answers.filter(
    ([kind, { type, arguments: names }], i) =>
      kind !== 'error' || type !== 'invalidArguments' || names?.[0] !== wrong[i]!.name,
  )
  t.same(passed, [])
})

t.test('an argument of the right type never breaks a method, whatever its value', async (t) => {
  const right = methods.flatMap((method) =>
    Object.entries(method.args ?? {}).flatMap(([name, property]) =>
      VALUES.filter((value) => !faultOf(property, value)).map(
        (value) => [method.name, { ...required(method), [name]: value }] as const,
      ),
    ),
  )
  t.ok(right.length > 500, `${right.length} calls`)
  await run(right)
  t.equal(({} as { x?: unknown }).x, undefined, 'and no prototype changes')
})

t.test('a call without an argument that has no default is invalidArguments (RFC 8620 3.5)', async (t) => {
  for (const method of ours) {
    const all = required(method)
    for (const name of Object.keys(all)) {
      const { [name]: _left, ...rest } = all
      const [[kind, error]] = (await run([[method.name, rest]])) as [[string, Result]]
      t.match([kind, error], ['error', { type: 'invalidArguments', arguments: [name] }], `${method.name} ${name}`)
    }
  }
})

t.test('an explicit default is the same as an omitted argument (RFC 8620 3.5)', async (t) => {
  for (const method of ours.filter(({ writes }) => !writes)) {
    const least = required(method)
    const defaults = Object.entries(method.args ?? {}).flatMap(([name, { default: value }]) =>
      value === undefined ? [] : [[name, value] as const],
    )
    const [without, ...others] = await run([
      [method.name, least],
      ...defaults.map(([name, value]) => [method.name, { ...least, [name]: value }] as const),
    ])
    for (const other of others) t.same(other, without, method.name)
  }
})

t.test('accountId must be the id of an account in which the method works (RFC 8620 3.6.2)', async (t) => {
  for (const method of ours) {
    const least = required(method)
    const accounts = method.access!.accounts === 'mailbox' ? 'organization' : 'mailbox'
    const typeOf = async (accountId: Json) => (await run([[method.name, { ...least, accountId }]]))[0]![1].type
    for (const wrong of [null, 1, [], {}]) t.equal(await typeOf(wrong), 'invalidArguments', method.name)
    for (const none of ['', 'none', 'x'.repeat(300), '__proto__'])
      t.equal(await typeOf(none), 'accountNotFound', method.name)
    t.equal(await typeOf(accountOf(accounts)), 'accountNotSupportedByMethod', method.name)
  }
})

t.test('an unknown argument is invalidArguments (RFC 8620 3.9)', async (t) => {
  const names = ['nonsense', '__proto__', 'constructor', 'accountid', '']
  for (const method of methods.filter(({ args }) => args !== null)) {
    const answers = await run(names.map((name) => [method.name, { ...required(method), ...own(name) }]))
    for (const [, error] of answers) t.match(error, { type: 'invalidArguments' }, method.name)
  }
})

t.test('an account in which a key can write nothing is accountReadOnly (RFC 8620 3.6.2)', async (t) => {
  const scopes = [...new Set(ours.filter(({ writes }) => !writes).map(({ access }) => access!.scope))]
  const { principal } = await started.key({ scopes })
  const session = (await started.core.session(principal, 'https://mail.example.test')) as Result
  for (const { isReadOnly } of Object.values<Result>(session.accounts)) t.equal(isReadOnly, true)
  for (const method of ours) {
    const [answer] = await started.request([[method.name, required(method)]], principal)
    const result: Result = answer![1]
    if (method.writes) t.match(result, { type: 'accountReadOnly' }, method.name)
    else t.notMatch(result, { type: 'accountReadOnly' }, `control: ${method.name} reads`)
  }
})

t.test('a record to create may hold anything: it is created or refused, and nothing breaks', async (t) => {
  const all = types
    .filter(({ type }) => type.methods.includes('set'))
    .flatMap(({ type }) =>
      Object.keys(type.properties).flatMap((name) =>
        VALUES.map(
          (value) =>
            [
              `${type.name}/set`,
              { accountId: accountOf(type.accounts), create: { c: { ...own(name, value) } } },
            ] as const,
        ),
      ),
    )
  t.ok(all.length > 1_000, `${all.length} records`)
  const answers = await run(all)
  t.same(
    all.filter((_, i) => !answers[i]![1].created?.c && !answers[i]![1].notCreated?.c?.type),
    [],
  )
})

t.test('a patch may hold anything: it is applied or refused, and nothing breaks', async (t) => {
  const paths = ['', '/', 'x', 'x/y', '~', '~2', '__proto__', '__proto__/x', 'constructor/prototype']
  for (const { type } of types.filter(({ type }) => type.methods.includes('set') && type.methods.includes('get'))) {
    // Otherwise no type would be left to test.
    if (type.name === 'MailAccount' || type.name === 'ApiKey') continue
    const accountId = accountOf(type.accounts)
    const [[, { list }]] = (await run([[`${type.name}/get`, { accountId }]])) as [[string, Result]]
    if (list.length === 0) continue
    const { id } = list[0]
    const patches = [
      ...Object.keys(type.properties).flatMap((name) => VALUES.map((value) => own(name, value))),
      ...Object.keys(type.properties).flatMap((name) => [own(`${name}/x`, true), own(`${name}/0`, null)]),
      ...paths.flatMap((path) => [null, 'x', { x: 1 }].map((value) => own(path, value))),
    ]
    const all = patches.map((patch) => [`${type.name}/set`, { accountId, update: { [id]: patch } }] as const)
    const answers = await run(all)
    const isTold = ({ updated, notUpdated }: Result) => (updated && id in updated) || notUpdated?.[id]?.type
    t.same(
      all.filter((_, i) => !isTold(answers[i]![1])),
      [],
      type.name,
    )
  }
  t.equal(({} as { x?: unknown }).x, undefined)
  t.match(await hello.call('Mailbox/get', {}), { accountId: hello.accountId }, 'control: the account is still of use')
})

t.test('a filter may hold anything: it is applied, or refused by name (RFC 8620 5.5)', async (t) => {
  const all = types
    .filter(({ type }) => type.methods.includes('query'))
    .flatMap(({ type }) =>
      Object.keys(type.filters ?? {}).flatMap((name) =>
        VALUES.map(
          (value) => [`${type.name}/query`, { accountId: accountOf(type.accounts), filter: own(name, value) }] as const,
        ),
      ),
    )
  for (const [, { ids, type }] of await run(all))
    t.ok(ids ?? ['invalidArguments', 'unsupportedFilter'].includes(type), type)
})

function own(name: string, value: Json = 1): JsonObject {
  return JSON.parse(`{${JSON.stringify(name)}:${JSON.stringify(value)}}`) as JsonObject
}

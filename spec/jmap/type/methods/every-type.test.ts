/** The rules of RFC 8620 5 for the standard methods, tested with each registered type, including new ones. */
import t from 'tap'
import type { RegisteredType } from '../../../../jmap/type/type-methods.ts'
import type { JsonObject } from '../../../../server/base/json.ts'
import { matchWhole } from '../../../support/match-whole.ts'
import { startEverything } from '../../everything.ts'

const LIMIT = 20
const { types, accountOf, call, calls, hello } = await startEverything(t, {
  maxObjectsInGet: LIMIT,
  maxObjectsInSet: LIMIT,
})
const MANY = Array.from({ length: LIMIT + 1 }, (_, i) => `none${i}`)

/** Runs `check` for each type that has the method, with a function that calls it. */
async function forEachType(
  method: RegisteredType['type']['methods'][number],
  check: (type: RegisteredType['type'], run: (args?: JsonObject) => ReturnType<typeof call>) => Promise<void>,
): Promise<void> {
  const having = types.filter(({ type }) => type.methods.includes(method))
  t.ok(having.length > 0, `types with /${method}`)
  for (const { type } of having) {
    const accountId = accountOf(type.accounts)
    await check(type, (args = {}) => call(`${type.name}/${method}`, { accountId, ...args }))
  }
}

async function stateOf(type: RegisteredType['type']): Promise<string> {
  return (await call(`${type.name}/get`, { accountId: accountOf(type.accounts), ids: [] }))[1].state
}

t.test('/get returns the account, a state, a list and unknown ids (RFC 8620 5.1)', async (t) => {
  await forEachType('get', async ({ name, accounts }, get) => {
    const [method, all] = await get({ ids: null })
    t.equal(method, `${name}/get`)
    t.equal(all.accountId, accountOf(accounts), name)
    t.type(all.state, 'string', name)
    t.ok(Array.isArray(all.list), name)
    t.same(all.notFound, [], name)
    t.same((await get())[1], all, `${name}: without ids all are meant, and the same state comes again`)
  })
})

t.test('/get of no ids returns nothing, and unknown ids are each once in notFound (RFC 8620 5.1)', async (t) => {
  await forEachType('get', async ({ name }, get) => {
    matchWhole(t, (await get({ ids: [] }))[1], { list: [], notFound: [] }, name)
    const [, { list, notFound }] = await get({ ids: ['none', '', '#none', 'none', 'a b', '__proto__'] })
    t.same([list, notFound], [[], ['none', '', '#none', 'a b', '__proto__']], name)
  })
})

t.test('/get returns a repeated id once (RFC 8620 5.1)', async (t) => {
  await forEachType('get', async ({ name }, get) => {
    const ids = (await get({ properties: ['id'] }))[1].list.map(({ id }: { id: string }) => id)
    const [, { list }] = await get({ ids: [...ids, ...ids].slice(0, LIMIT), properties: ['id'] })
    t.equal(list.length, ids.length, name)
  })
})

t.test('/get returns the requested properties and always the id (RFC 8620 5.1)', async (t) => {
  await forEachType('get', async (type, get) => {
    const { name, properties } = type
    for (const property of Object.keys(properties).filter((one) => !properties[one]!.writeOnly)) {
      const [, { list }] = await get({ properties: [property] })
      for (const object of list) {
        const keys = Object.keys(object).sort()
        t.same(keys, [...new Set(['id', property])].filter((key) => key === 'id' || key in object).sort(), name)
      }
    }
    for (const object of (await get({ properties: [] }))[1].list) t.same(Object.keys(object), ['id'], name)
    for (const object of (await get())[1].list) t.type(object.id, 'string', name)
  })
})

t.test('/get of a property that the type lacks is invalidArguments (RFC 8620 5.1)', async (t) => {
  await forEachType('get', async ({ name, properties, others }, get) => {
    // An open type has properties of every name.
    if (others) return
    const secrets = Object.keys(properties).filter((one) => properties[one]!.writeOnly)
    for (const property of ['nonsense', '', '__proto__', 'constructor', 'id/x', ...secrets])
      t.match((await get({ properties: ['id', property] }))[1], { type: 'invalidArguments' }, `${name} ${property}`)
  })
})

t.test('/get of more ids than maxObjectsInGet is requestTooLarge (RFC 8620 5.1)', async (t) => {
  await forEachType('get', async ({ name }, get) => {
    t.match((await get({ ids: MANY }))[1], { type: 'requestTooLarge' }, name)
    t.equal((await get({ ids: MANY.slice(1) }))[1].notFound.length, LIMIT, name)
  })
})

t.test('/changes accepts the state of /get and repeats it (RFC 8620 5.2)', async (t) => {
  await forEachType('changes', async (type, changes) => {
    const sinceState = await stateOf(type)
    const [method, result] = await changes({ sinceState })
    t.equal(method, `${type.name}/changes`)
    const nothing = { created: [], updated: [], destroyed: [], hasMoreChanges: false }
    t.match(result, { accountId: accountOf(type.accounts), oldState: sinceState, newState: sinceState, ...nothing })
    t.match((await changes({ sinceState: 'never given' }))[1], { type: 'cannotCalculateChanges' }, type.name)
  })
})

t.test('/changes refuses a maxChanges that is not above zero (RFC 8620 5.2)', async (t) => {
  await forEachType('changes', async (type, changes) => {
    const sinceState = await stateOf(type)
    for (const maxChanges of [0, -1, 1.5, 2 ** 53, '1', true])
      t.match((await changes({ sinceState, maxChanges }))[1], { type: 'invalidArguments' }, type.name)
    t.match((await changes({ sinceState, maxChanges: 1 }))[1], { oldState: sinceState }, type.name)
  })
})

t.test('/set without records changes no state and returns null for all (RFC 8620 5.3)', async (t) => {
  await forEachType('set', async (type, set) => {
    const state = await stateOf(type)
    const none = {
      created: null,
      updated: null,
      destroyed: null,
      notCreated: null,
      notUpdated: null,
      notDestroyed: null,
    }
    t.match(
      (await set())[1],
      { accountId: accountOf(type.accounts), oldState: state, newState: state, ...none },
      type.name,
    )
    t.match((await set({ ifInState: state }))[1], { newState: state }, type.name)
    t.match((await set({ ifInState: 'another' }))[1], { type: 'stateMismatch' }, type.name)
  })
})

t.test('/set returns notFound for unknown ids, and continues (RFC 8620 5.3)', async (t) => {
  await forEachType('set', async ({ name }, set) => {
    const [, result] = await set({ update: { none: {}, '#none': {} }, destroy: ['none', '#none'] })
    for (const id of ['none', '#none']) {
      t.equal(result.notUpdated[id].type, 'notFound', name)
      t.ok(['notFound', 'singleton', 'forbidden'].includes(result.notDestroyed[id].type), name)
    }
  })
})

t.test('/set refuses server-set and unknown properties in a create (RFC 8620 5.3)', async (t) => {
  await forEachType('set', async ({ name, properties, others }, set) => {
    const wrong = Object.keys(properties).filter((one) => properties[one]!.serverSet)
    const [, { created, notCreated }] = await set({
      create: { own: Object.fromEntries(wrong.map((one) => [one, 'x'])), more: { nonsense: 1 } },
    })
    t.equal(created, null, name)
    for (const [creationId, names] of [
      ['own', wrong],
      // An open type has properties of every name.
      ['more', others ? [] : ['nonsense']],
    ] as const) {
      const error = notCreated[creationId]
      if (error.type === 'invalidProperties')
        for (const one of names) t.ok(error.properties.includes(one), `${name} names ${one}`)
      else t.ok(['forbidden', 'singleton'].includes(error.type), `${name}: ${error.type}`)
    }
  })
})

t.test('/set accepts an object as /get returned it, and changes nothing (RFC 8620 5.3)', async (t) => {
  await forEachType('set', async (type, set) => {
    const state = await stateOf(type)
    const all = (await call(`${type.name}/get`, { accountId: accountOf(type.accounts) }))[1].list
    for (const object of all as JsonObject[]) {
      const [, { updated, notUpdated }] = await set({ update: { [object['id'] as string]: object } })
      t.same([updated, notUpdated], [{ [object['id'] as string]: null }, null], type.name)
    }
    t.equal(await stateOf(type), state, type.name)
  })
})

t.test('/set refuses to change server-set and immutable properties, and names them (RFC 8620 1.1, 5.3)', async (t) => {
  await forEachType('set', async (type, set) => {
    const [object] = (await call(`${type.name}/get`, { accountId: accountOf(type.accounts) }))[1].list
    if (!object) return
    const fixed = Object.keys(type.properties).filter((name) => {
      const property = type.properties[name]!
      return (property.serverSet || property.immutable) && !property.writeOnly
    })
    for (const name of fixed) {
      const [, { notUpdated }] = await set({ update: { [object.id]: { [name]: 'otherwise' } } })
      const error = notUpdated?.[object.id] ?? {}
      t.match(error, { type: 'invalidProperties', properties: [name] }, `${type.name} ${name}`)
    }
  })
})

t.test('/set of more objects than maxObjectsInSet is requestTooLarge (RFC 8620 5.3)', async (t) => {
  await forEachType('set', async (type, set) => {
    const state = await stateOf(type)
    const create = Object.fromEntries(MANY.slice(0, LIMIT - 1).map((id) => [id, { nonsense: 1 }]))
    const rest = { update: { none: {} }, destroy: ['none'] }
    t.match((await set({ create, ...rest }))[1], { type: 'requestTooLarge' }, type.name)
    t.equal(Object.keys((await set({ create, update: rest.update }))[1].notCreated).length, LIMIT - 1, type.name)
    t.equal(await stateOf(type), state, type.name)
  })
})

t.test('/set and /copy refuse creation ids that are not Ids (RFC 8620 1.2, 5.3)', async (t) => {
  await forEachType('set', async ({ name }, set) => {
    for (const creationId of ['', 'a b', '#a', 'ü', 'x'.repeat(256)])
      t.match(
        (await set({ create: { [creationId]: {} } }))[1],
        { type: 'invalidArguments', arguments: ['create'] },
        name,
      )
  })
})

t.test('/copy needs two different existing accounts (RFC 8620 5.4)', async (t) => {
  await forEachType('copy', async ({ name, accounts }, copy) => {
    const other = accounts === 'mailbox' ? 'organization' : 'mailbox'
    t.match((await copy({ fromAccountId: 'none', create: {} }))[1], { type: 'fromAccountNotFound' }, name)
    t.match((await copy({ fromAccountId: accountOf(accounts), create: {} }))[1], { type: 'invalidArguments' }, name)
    t.match((await copy({ fromAccountId: accountOf(other), create: {} }))[1], {
      type: 'fromAccountNotSupportedByMethod',
    })
  })
})

t.test('/query returns ids, position and state, and total only on request (RFC 8620 5.5)', async (t) => {
  await forEachType('query', async ({ name, accounts }, query) => {
    const [method, result] = await query()
    t.equal(method, `${name}/query`)
    t.match(
      result,
      { accountId: accountOf(accounts), position: 0, queryState: String, canCalculateChanges: Boolean },
      name,
    )
    t.notOk('total' in result, name)
    t.equal((await query({ calculateTotal: true }))[1].total, result.ids.length, name)
    t.same((await query())[1], result, `${name}: the order is stable`)
    t.same((await query({ filter: null, sort: null, anchor: null, limit: null }))[1], result, name)
    t.same((await query({ filter: {}, sort: [] }))[1].ids, result.ids, name)
  })
})

t.test('/query cuts the list by position, anchor and limit (RFC 8620 5.5)', async (t) => {
  await forEachType('query', async ({ name }, query) => {
    const { ids } = (await query())[1]
    const last = ids.length - 1
    matchWhole(t, (await query({ position: ids.length + 5 }))[1], { ids: [] }, name)
    matchWhole(t, (await query({ limit: 0 }))[1], { ids: [] }, name)
    t.same((await query({ position: -1000 }))[1].ids, ids, name)
    t.match((await query({ anchor: 'none' }))[1], { type: 'anchorNotFound' }, name)
    if (last < 0) return
    t.match((await query({ position: -1 }))[1], { position: last, ids: [ids[last]] }, name)
    t.match((await query({ anchor: ids[last], position: 99, limit: 1 }))[1], { position: last, ids: [ids[last]] }, name)
    t.match((await query({ anchor: ids[last], anchorOffset: -99 }))[1], { position: 0, ids }, name)
    t.same((await query({ anchorOffset: 99 }))[1].ids, ids, name)
    for (const limit of [-1, 1.5, '1']) t.match((await query({ limit }))[1], { type: 'invalidArguments' }, name)
  })
})

t.test('/query sorts by each property that it advertises, both ways, and by no other (RFC 8620 5.5)', async (t) => {
  await forEachType('query', async (type, query) => {
    const { ids } = (await query())[1]
    for (const property of type.sorts ?? []) {
      const keyword = property.includes('eyword') ? { keyword: '$seen' } : {}
      for (const isAscending of [true, false]) {
        const [, result] = await query({ sort: [{ property, isAscending, ...keyword }] })
        t.same([...result.ids].sort(), [...ids].sort(), `${type.name} by ${property}`)
      }
    }
    for (const property of ['nonsense', '__proto__', 'constructor'])
      t.match((await query({ sort: [{ property }] }))[1], { type: 'unsupportedSort' }, type.name)
    for (const comparator of [{}, { property: 1 }, null, 'id', { property: 'id', isAscending: null }])
      t.match((await query({ sort: [comparator] }))[1], { type: 'invalidArguments' }, type.name)
    const [sort] = type.sorts ?? []
    if (sort === undefined) return
    t.match(
      (await query({ sort: [{ property: sort, collation: 'i;none' }] }))[1],
      { type: 'unsupportedSort' },
      type.name,
    )
    t.match((await query({ sort: [{ property: sort, collation: 1 }] }))[1], { type: 'invalidArguments' }, type.name)
  })
})

t.test('/query combines conditions by AND, OR and NOT, and refuses malformed filters (RFC 8620 5.5)', async (t) => {
  await forEachType('query', async ({ name, filters }, query) => {
    t.notOk(filters && 'operator' in filters, `${name}: no condition looks like an operator`)
    const { ids } = (await query())[1]
    const idsOf = async (filter: JsonObject) => (await query({ filter }))[1].ids
    t.same(await idsOf({ operator: 'AND', conditions: [{}, {}] }), ids, name)
    t.same(await idsOf({ operator: 'OR', conditions: [{}, { operator: 'NOT', conditions: [{}] }] }), ids, name)
    t.same(await idsOf({ operator: 'NOT', conditions: [{}] }), [], name)
    for (const filter of [
      { operator: 'XOR', conditions: [] },
      { operator: 'AND' },
      { operator: 'AND', conditions: [1] },
    ])
      t.match((await query({ filter }))[1], { type: 'invalidArguments' }, name)
    t.match((await query({ filter: { nonsense: 1 } }))[1], { type: 'unsupportedFilter' }, name)
  })
})

t.test('/queryChanges accepts the state of /query, if changes can be calculated (RFC 8620 5.5, 5.6)', async (t) => {
  await forEachType('queryChanges', async ({ name, accounts }, queryChanges) => {
    const accountId = accountOf(accounts)
    const [, { queryState, canCalculateChanges, ids }] = await call(`${name}/query`, { accountId })
    const [, result] = await queryChanges({ sinceQueryState: queryState, calculateTotal: true })
    t.equal(canCalculateChanges, result.type !== 'cannotCalculateChanges', name)
    const same = { oldQueryState: queryState, newQueryState: queryState, removed: [], added: [], total: ids.length }
    if (canCalculateChanges) t.match(result, { accountId, ...same }, name)
    t.notOk('total' in (await queryChanges({ sinceQueryState: queryState }))[1], name)
    t.match((await queryChanges({ sinceQueryState: 'none' }))[1], { type: 'cannotCalculateChanges' }, name)
    for (const maxChanges of [-1, 1.5, '1'])
      t.match((await queryChanges({ sinceQueryState: queryState, maxChanges }))[1], { type: 'invalidArguments' }, name)
    t.notMatch((await queryChanges({ sinceQueryState: queryState, maxChanges: 0 }))[1], { type: 'invalidArguments' })
  })
})

t.test('each query type that cannot calculate changes says so in its response (RFC 8620 5.5)', async (t) => {
  await forEachType('query', async ({ name, methods }, query) => {
    if (!methods.includes('queryChanges')) t.equal((await query())[1].canCalculateChanges, false, name)
  })
})

t.test(
  'ids of all types are Ids that begin with a letter, unique when case is ignored (RFC 8620 1.2, 1.6.3)',
  async (t) => {
    const wanted = types.filter(({ type }) => type.methods.includes('get'))
    const answers = await calls(
      wanted.map(({ type }) => [`${type.name}/get`, { accountId: accountOf(type.accounts), properties: ['id'] }]),
    )
    answers.forEach(([, { list }], i) => {
      const { name } = wanted[i]!.type
      const ids: string[] = list.map(({ id }: { id: string }) => id)
      for (const id of ids) t.match(id, /^[a-z][A-Za-z0-9_-]{0,254}$/, name)
      t.equal(new Set(ids.map((id) => id.toLowerCase())).size, ids.length, name)
    })
    t.match(hello.accountId, /^[a-z][A-Za-z0-9_-]{0,254}$/)
  },
)

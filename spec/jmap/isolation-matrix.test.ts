/**
 * Promise J1: every method with every place of an id, with ids of other accounts. The response is that for an id that does not exist,
 * octet for octet; the owner gets another one. The places come from the registry: a new place without a description fails here.
 */
import process from 'node:process'
import t from 'tap'
import type { Invocation } from '../../jmap/protocol/messages.ts'
import { createStandardRegistry } from '../../jmap/standard-registry.ts'
import type { JsonObject } from '../../server/base/json.ts'
import { startCore } from '../support/core.ts'
import { forEachEngine } from '../support/engines.ts'
import { KINDS, type Kind } from './isolation/kinds.ts'
import { placesOf, unnamed } from './isolation/places.ts'
import type { Place } from './isolation/recipes.ts'
import { answer, MARK, makeParties, type Party } from './isolation/sides.ts'

/** Each place gets the ids of one other kind in so many, in turns; for all: `ISOLATION_OTHER_KINDS=1`. */
const OTHER_KINDS = Number(process.env['ISOLATION_OTHER_KINDS'] ?? 4)

const registry = createStandardRegistry()
const places = placesOf(registry)
/** Destroying methods come last, so that the others find their objects. */
const rankOf = ({ method, where }: Place) => {
  if (where !== 'destroy') return Number(where.startsWith('onSuccessDestroy'))
  // Aliases and booking pages are deleted with their mailbox, subscribers with their audience.
  if (method === 'Alias/set' || method === 'BookingPage/set' || method === 'Subscriber/set') return 2
  if (registry.methods.get(method)!.access?.accounts === 'organization') return 3
  // Notifications go with their event.
  return method === 'EmailSubmission/set' || method === 'CalendarEvent/set' ? 2 : 1
}
const inOrder = [...places].sort((a, b) => rankOf(a) - rankOf(b))

t.test('every argument, property and filter that may hold an id is tested', async (t) => {
  t.same(unnamed(registry), [])
  const without = [...registry.methods.values()].filter(({ name }) => !places.some(({ method }) => method === name))
  t.same(
    without.map(({ name }) => name),
    ['Core/echo'],
  )
})

await forEachEngine(t, async (t, engine) => {
  const test = await startCore(t, engine)
  const { ids } = test.core
  const { asker, neighbour, stranger } = await makeParties(test)
  let calls = 0

  /** Ids of a kind that do not exist: of no account, and of the asker's own. */
  const absent = (kind: Kind, place: Place) => {
    const isAccount = kind === 'MailAccount' || kind === 'Organization'
    const nowhere = ids.encode(KINDS[kind], 77_777, isAccount ? 0 : 5)
    if (isAccount || place.isPosition) return [nowhere]
    const own = ids.accountNumber('mailbox', asker.accountId)!
    return [nowhere, ids.encode(KINDS[kind], own, 77_777)]
  }
  const accountOf = ({ method }: Place, party: Party): JsonObject => {
    const access = registry.methods.get(method)!.access
    if (access === null) return {}
    return { accountId: access.accounts === 'mailbox' ? party.accountId : party.organizationId }
  }
  const ways: { readonly [name: string]: (place: Place, party: Party, id: string) => Promise<unknown> | null } = {
    plain: (place, party, id) =>
      answer(test, party.principal, [place.method, { ...accountOf(place, party), ...place.args(id, party) }]),
    'creation id': (place, party, id) => {
      if (place.where === 'accountId') return null
      const args = { ...accountOf(place, party), ...place.args('#given', party) }
      return answer(test, party.principal, [place.method, args], [], { given: id })
    },
    'back-reference': (place, party, id) => {
      if (!place.list) return null
      const { [place.list]: _list, ...rest } = { ...accountOf(place, party), ...place.args(id, party) } as JsonObject
      const reference = { [`#${place.list}`]: { resultOf: 'e', name: 'Core/echo', path: '/list' } }
      const echo: Invocation = ['Core/echo', { list: [id] }, 'e']
      return answer(test, party.principal, [place.method, { ...rest, ...reference }], [echo])
    },
  }
  /** The response without the id itself. */
  const told = async (way: string, place: Place, party: Party, id: string) => {
    const promise = ways[way]!(place, party, id)
    if (promise === null) return null
    calls++
    return JSON.stringify(await promise).replaceAll(id, 'ID')
  }

  /** All objects of a party, as it sees them, of every type. */
  const possessions = async (party: Party) => {
    const all: unknown[] = []
    for (const { type } of registry.types) {
      const accountId = type.accounts === 'mailbox' ? party.accountId : party.organizationId
      const own = party.ids[type.name as Kind]
      const wanted = own ? [own] : null
      all.push(await answer(test, party.principal, [`${type.name}/get`, { accountId, ids: wanted }]))
    }
    return all
  }

  t.test('ids of others get the same answer as ids that do not exist, in every place', async (t) => {
    const leaks: string[] = []
    const before = [await possessions(stranger), await possessions(neighbour)]
    for (const [n, place] of inOrder.entries()) {
      // Ids of other kinds too; once is enough for that: on one engine, and written as they are.
      const others = (Object.keys(KINDS) as Kind[]).filter((_, i) => (i + n) % OTHER_KINDS === 0)
      for (const kind of engine === 'sqlite' ? new Set([place.kind, ...others]) : [place.kind]) {
        const isOwn = kind === place.kind
        const foreign = [stranger, neighbour].flatMap((party) => {
          // Objects of the organization are visible to all of its members.
          const isShared = party === neighbour && ['Organization', 'Domain', 'ApiKey', 'Suppression'].includes(kind)
          return party.ids[kind] && !isShared ? [party.ids[kind]] : []
        })
        const none = absent(kind, place).slice(0, isOwn ? undefined : 1)
        for (const way of foreign.length === 0 ? [] : isOwn ? Object.keys(ways) : ['plain']) {
          const expected = await Promise.all(none.map((id) => told(way, place, asker, id)))
          for (const id of foreign) {
            const found = await told(way, place, asker, id)
            if (found?.includes(MARK)) leaks.push(`${place.method} ${place.where} ${kind} ${way} shows ${found}`)
            const other = expected.find((answer) => answer !== found)
            if (other !== undefined) leaks.push(`${place.method} ${place.where} ${kind} ${way}: ${found}, but ${other}`)
          }
        }
      }
    }
    t.same(leaks, [])
    t.same([await possessions(stranger), await possessions(neighbour)], before, 'nothing of theirs has changed')
    t.comment(`${places.length} places, ${calls} calls`)
    t.ok(calls >= (engine === 'sqlite' ? 1_500 : 500))
  })

  t.test('control: the owner of an id gets another answer in every place', async (t) => {
    const blind: string[] = []
    for (const place of inOrder) {
      if (place.isBlind) continue
      const id = place.where === 'accountId' ? accountOf(place, stranger)['accountId'] : stranger.ids[place.kind]
      const found = await told('plain', place, stranger, id as string)
      const other = await told('plain', place, stranger, absent(place.kind, place)[0]!)
      if (found === other) blind.push(`${place.method} ${place.where}: ${found}`)
    }
    t.same(blind, [])
  })
})

/**
 * Every place of every method that may hold an id, from the registry: arguments, keys, properties, filters, references. Places that
 * declarations do not show (a text that is an id, an object that contains some) are named here; `unnamed` reports the others.
 */

import { SINGLETON_ID } from '../../../jmap/type/define-type.ts'
import type { Method } from '../../../jmap/type/method.ts'
import type { PropertySpec } from '../../../jmap/type/property.ts'
import type { Registry } from '../../../jmap/type/registry.ts'
import type { RegisteredType } from '../../../jmap/type/type-methods.ts'
import type { JsonObject } from '../../../server/base/json.ts'
import type { JsonSchema } from '../../../server/base/schema.ts'
import { KINDS, type Kind } from './kinds.ts'
import { CREATE, type Make, MORE, NO_IDS, type Place, required, type Side, TEXT_FILTERS } from './recipes.ts'

export function placesOf({ types, methods }: Registry): Place[] {
  return [...methods.values()].flatMap((method) => {
    const registered = types.find(({ type }) => isMethodOf(method, type.name) && type.methods.includes(verbOf(method)))
    const declared = registered ? standard(registered, method.name) : []
    const more = (MORE[method.name] ?? []).map(({ argument, where, ...rest }) => ({
      method: method.name,
      where: `${argument} ${where}`,
      ...rest,
    }))
    const account: Place = {
      method: method.name,
      where: 'accountId',
      kind: method.access?.accounts === 'organization' ? 'Organization' : 'MailAccount',
      args: (id, side) => ({ accountId: id, ...required(method.name, side) }),
    }
    return [...(method.access ? [account] : []), ...declared, ...more]
  })
}

const isMethodOf = (method: Method, type: string) => method.name.startsWith(`${type}/`)
const kindOf = (name: string): Kind =>
  name === 'catchAllMailboxId' || name === 'replyToMailboxId' || name === 'accountIds'
    ? 'MailAccount'
    : name === 'inCalendar'
      ? 'Calendar'
      : /^(?:parentId|inMailbox|inMailboxOtherThan|targetMailboxId)$/.test(name)
        ? 'Mailbox'
        : name === 'fileIds'
          ? 'ImportFile'
          : ((name[0]!.toUpperCase() + name.slice(1).replace(/Ids?$/, '')) as Kind)

/** The kind of a property: equal names are distinguished by the type. */
function kindIn(type: string, name: string): Kind {
  return (type === 'ApiKey' && name === 'mailboxIds') || (/^(?:Alias|BookingPage)$/.test(type) && name === 'mailboxId')
    ? 'MailAccount'
    : kindOf(name)
}

const shaped = ({ idPlace }: PropertySpec, id: string) =>
  idPlace === 'ids' ? [id] : idPlace === 'keys' ? { [id]: true } : id

/** What a copy has otherwise than its original. */
function copied(type: string, ids: Side['ids']): JsonObject {
  return type === 'Email' ? { mailboxIds: { [ids.Mailbox!]: true } } : { calendarIds: { [ids.Calendar!]: true } }
}

/** Places of the six methods of a type. */
function standard({ type }: RegisteredType, method: string): Place[] {
  const verb = method.slice(method.indexOf('/') + 1)
  // The only object of its type has a name instead of an id.
  const kind: Kind = type.idPrefix === SINGLETON_ID ? 'Identity' : (type.name as Kind)
  const isBlind = type.idPrefix === SINGLETON_ID ? ({ isBlind: true } as const) : {}
  const place = (where: string, of: Kind, args: Make, more: Partial<Place> = {}): Place => ({
    method,
    where,
    kind: of,
    args,
    ...more,
  })
  const properties = Object.entries(type.properties).filter(([, spec]) => spec.idPlace && !spec.serverSet)
  const filters = Object.entries(type.filters ?? {}).flatMap(([name, spec]): [string, Make, Kind][] => {
    const text = TEXT_FILTERS[`${type.name}.${name}`]
    if (!spec.idPlace && !text) return []
    return [[name, (id) => ({ filter: { [name]: shaped(spec, id) } }), text ?? kindIn(type.name, name)]]
  })
  const filterPlaces = filters.flatMap(([name, args, of]) => {
    const blind = verb === 'queryChanges' || name === 'beforeId' ? ({ isBlind: true } as const) : {}
    const more = { ...blind, ...(name === 'beforeId' && ({ isPosition: true } as const)) }
    const whole: Make = (id, side) => ({ ...required(method, side), ...args(id, side) })
    const within: Make = (id, side) => ({
      ...required(method, side),
      filter: { operator: 'NOT', conditions: [args(id, side)['filter']!] },
    })
    return [
      place(`filter ${name}`, of, whole, more),
      place(`filter NOT ${name}`, of, within, { ...more, isBlind: true }),
    ]
  })
  const made: { readonly [verb: string]: () => Place[] } = {
    get: () => [place('ids', kind, (id) => ({ ids: [id] }), { list: 'ids', ...isBlind })],
    changes: () => [place('sinceState', kind, (id) => ({ sinceState: id }), { isBlind: true })],
    query: () => [...filterPlaces, place('anchor', kind, (id) => ({ anchor: id }))],
    queryChanges: () => [
      ...filterPlaces,
      place('upToId', kind, (id) => ({ sinceQueryState: '0', upToId: id }), { isBlind: true }),
      place('sinceQueryState', kind, (id) => ({ sinceQueryState: id }), { isBlind: true }),
    ],
    copy: () => [
      place('fromAccountId', 'MailAccount', (id) => ({ fromAccountId: id, create: {} })),
      place('create id', kind, (id, { accountId, otherAccountId, ids }) => ({
        accountId: otherAccountId,
        fromAccountId: accountId,
        create: { c: { id, ...copied(type.name, ids) } },
      })),
      ...properties.map(([name, spec]) =>
        place(`create ${name}`, kindIn(type.name, name), (id, { otherAccountId, otherEmailId, otherEventId }) => ({
          fromAccountId: otherAccountId,
          create: { c: { id: type.name === 'Email' ? otherEmailId : otherEventId, [name]: shaped(spec, id) } },
        })),
      ),
    ],
    set: () => [
      place('update', kind, (id) => ({ update: { [id]: {} } }), isBlind),
      ...properties.flatMap(([name, spec]) => {
        const of = kindIn(type.name, name)
        const change = (id: string, side: Side, patch: JsonObject) => ({ update: { [side.ids[kind] ?? id]: patch } })
        return [
          place(
            `create ${name}`,
            of,
            (id, side) => ({ create: { c: { ...CREATE[type.name]!(side), [name]: shaped(spec, id) } } }),
            // A new domain has no mailboxes.
            name === 'catchAllMailboxId' ? { isBlind: true } : {},
          ),
          place(
            `update ${name}`,
            of,
            (id, side) => change(id, side, { [name]: shaped(spec, id) }),
            // An import never changes, whatever its new value would be.
            type.name === 'Import' ? { isBlind: true } : {},
          ),
          ...(spec.idPlace === 'keys'
            ? [place(`update ${name}/`, of, (id, side) => change(id, side, { [`${name}/${id}`]: true }))]
            : []),
        ]
      }),
      place('destroy', kind, (id) => ({ destroy: [id] }), { list: 'destroy', ...isBlind }),
    ],
  }
  return made[verb]!()
}

/** Values that may hold ids and have no place above: a new method, type, argument, property or filter. */
export function unnamed({ types, methods }: Registry): string[] {
  const looked = (owner: string, name: string) => (NO_IDS[owner] ?? '').split(/\s+/).includes(name)
  const inTypes = types.flatMap(({ type }) => {
    const own = type.idPrefix === SINGLETON_ID || Object.hasOwn(KINDS, type.name) ? [] : ['(a kind of id)']
    const settable = Object.entries(type.properties).filter(([, spec]) => !spec.serverSet)
    const names = [...settable, ...Object.entries(type.filters ?? {})]
      .filter(([name, spec]) => !spec.idPlace && isOpen(spec.json) && !looked(type.name, name))
      .map(([name]) => name)
    const known = (name: string) =>
      TEXT_FILTERS[`${type.name}.${name}`] || MORE[`${type.name}/set`]?.some(({ where }) => where === name)
    const ways = type.methods.includes('set') && !CREATE[type.name] ? ['(a record to create)'] : []
    return [...own, ...names.filter((name) => !known(name)), ...ways].map((name) => `${type.name} ${name}`)
  })
  const inMethods = [...methods.values()].flatMap((method) => {
    const isStandard = types.some(({ type }) => isMethodOf(method, type.name) && type.methods.includes(verbOf(method)))
    return Object.entries(method.args ?? {})
      .filter(([name, spec]) => isOpen(spec.json) && !looked('arguments', name))
      .filter(([name]) => !MORE[method.name]?.some(({ argument }) => argument === name))
      .filter(([name]) => !(isStandard && STANDARD_ARGUMENTS.includes(name)))
      .map(([name]) => `${method.name} ${name}`)
  })
  return [...inTypes, ...inMethods]
}

const verbOf = ({ name }: Method) => name.slice(name.indexOf('/') + 1) as never
const STANDARD_ARGUMENTS = ['ids', 'create', 'update', 'destroy', 'filter', 'anchor', 'upToId', 'fromAccountId']

/** Whether a value may hold any text. */
function isOpen({ type, format, anyOf, items, enum: values, const: only }: JsonSchema): boolean {
  if (values || only !== undefined || format === 'utc-date' || format === 'date') return false
  if (anyOf) return anyOf.some(isOpen)
  const types = [type].flat()
  if (types.includes('array')) return items === undefined || isOpen(items)
  return type === undefined || types.includes('string') || types.includes('object')
}

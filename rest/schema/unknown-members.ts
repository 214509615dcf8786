/**
 * Members of a request that its endpoint does not know and that look like a mistake: almost the name of a known one, or a name that
 * other endpoints know. Unknown members are ignored (decision D1), so a client would never learn of it.
 */

import { isObject } from '../../jmap/protocol/json-object.ts'
import { WARNING_MAX_MEMBERS, WARNING_MAX_NAMES, WARNING_NAME_MAX_CHARS } from '../../server/base/limits.ts'
import type { JsonSchema } from './schema.ts'

export interface Mistake {
  /** As the client wrote it, with its place: `attachments[0].contentType`. */
  readonly member: string
  /** The known member that it may mean; null: a member of other endpoints. */
  readonly meant: string | null
}

/** @param elsewhere names that any endpoint knows */
export function findMistakes(value: unknown, schema: JsonSchema, elsewhere: ReadonlySet<string>): readonly Mistake[] {
  const search = new Search(elsewhere)
  search.look(value, schema, '')
  return search.found
}

class Search {
  readonly found: Mistake[] = []
  readonly #elsewhere: ReadonlySet<string>
  #visited = 0

  constructor(elsewhere: ReadonlySet<string>) {
    this.#elsewhere = elsewhere
  }

  look(value: unknown, schema: JsonSchema, at: string): void {
    if (this.found.length >= WARNING_MAX_NAMES || this.#visited >= WARNING_MAX_MEMBERS) return
    const { properties, items, anyOf } = schema
    if (Array.isArray(value) && items) for (const [i, item] of value.entries()) this.look(item, items, `${at}[${i}]`)
    else if (isObject(value) && properties) this.#lookAtMembers(value, properties, at)
    // The branch of a union for objects: faults of other branches are not such mistakes.
    else
      for (const branch of anyOf ?? [])
        if (branch.properties ? isObject(value) : branch.items) this.look(value, branch, at)
  }

  #lookAtMembers(value: object, properties: NonNullable<JsonSchema['properties']>, at: string): void {
    for (const [name, child] of Object.entries(value)) {
      if (this.found.length >= WARNING_MAX_NAMES || this.#visited++ >= WARNING_MAX_MEMBERS) return
      const place = at === '' ? name : `${at}.${name}`
      const known = Object.hasOwn(properties, name) ? properties[name] : undefined
      if (known) this.look(child, known, place)
      else this.#judge(name, place, Object.keys(properties))
    }
  }

  #judge(name: string, member: string, known: readonly string[]): void {
    // Other names belong to the client, and are kept out of header and log.
    if (name.length > WARNING_NAME_MAX_CHARS || !/^[A-Za-z][\w-]*$/.test(name)) return
    const same = known.find((one) => plain(one) === plain(name))
    const meant = same ?? known.find((one) => isAlike(name, one)) ?? null
    if (meant !== null || this.#elsewhere.has(name)) this.found.push({ member, meant })
  }
}

/** Letters that say the same in another notation: `scheduledAt`, `scheduled-at`. */
function plain(name: string): string {
  return name.toLowerCase().replace(/[_-]/g, '')
}

/** One is a prefix of the other, or they differ in at most two letters. */
function isAlike(given: string, known: string): boolean {
  const [a, b] = [plain(given), plain(known)]
  const [short, long] = a.length < b.length ? [a, b] : [b, a]
  if (short.length < 4) return false
  return long.startsWith(short) || distance(a, b) <= (short.length < 6 ? 1 : 2)
}

/** Letters to change, add and remove (Levenshtein). */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, i) => i)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++)
      next.push(Math.min(row[j]! + 1, next[j - 1]! + 1, row[j - 1]! + Number(a[i - 1] !== b[j - 1])))
    row = next
  }
  return row[b.length]!
}

/** For the header field Posthouse-Warning. */
export function mistakeWords({ member, meant }: Mistake): string {
  return meant === null ? `"${member}" is ignored` : `"${member}" is ignored; did you mean "${meant}"?`
}

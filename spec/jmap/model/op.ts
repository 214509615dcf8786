/** Operations of a step, and checks of outcomes of single records. */
import type { Result } from '../../support/core.ts'
import type { AccountModel } from './account-model.ts'

export interface World {
  /** The two accounts. */
  readonly accounts: readonly AccountModel[]
  /** Epoch ms. */
  readonly now: number
  readonly step: number
  /** All assigned ids: none may be assigned again. */
  readonly ids: ReadonlySet<string>
}

/** One event. `apply` returns its fault, or null. */
export interface Op {
  readonly label: string
  apply(world: World): string | null
}

/** One call, with creation ids and back-references resolved. */
export interface Call {
  readonly account: number
  readonly name: string
  readonly args: Result
  /** The expected `ifInState`: the version of the type for that state. */
  readonly ifInVersion?: number
  /** Further data for the check of the method, such as the content of the messages. */
  readonly extra: Result
}

/** Every requested record has exactly one outcome. */
export function outcomesFault(args: Result, result: Result): string | null {
  const keys = (object: Result) => Object.keys(object ?? {})
  const pairs: [string[], string[], string][] = [
    [keys(args.create ?? args.emails), [...keys(result.created), ...keys(result.notCreated)], 'create'],
    [keys(args.update), [...keys(result.updated), ...keys(result.notUpdated)], 'update'],
    [[...new Set<string>(args.destroy ?? [])], [...(result.destroyed ?? []), ...keys(result.notDestroyed)], 'destroy'],
  ]
  for (const [asked, told, what] of pairs)
    if (asked.toSorted().join() !== told.toSorted().join()) return `${what}: asked for ${asked}, told ${told}`
  return null
}

/** @param allowed types of errors that are right; empty: no error is right */
export function refusalFault(what: string, key: string, error: Result, allowed: readonly string[]): string | null {
  return allowed.includes(error?.type)
    ? null
    : `${what} ${key} refused with ${JSON.stringify(error)}; fitting: ${allowed.join(', ') || 'none'}`
}

/** Applies a patch of whole properties and of `property/key` paths to an object. */
export function patched(object: Result, patch: Result): Result {
  const next = structuredClone(object)
  for (const [path, value] of Object.entries(patch)) {
    // RFC 8621 4.1.1: keywords compare without case.
    const given = path.startsWith('keywords/') ? path.toLowerCase() : path
    const [property, key] = given.split('/') as [string, string | undefined]
    if (key === undefined) next[property] = value
    else if (value === null) delete next[property][key]
    else next[property][key] = value
  }
  return next
}

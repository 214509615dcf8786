/** Operations of a step, and how outcomes of single records are judged. */
import type { Result } from '../../support/core.ts'
import type { AccountModel } from './account-model.ts'

export interface World {
  /** The two accounts. */
  readonly accounts: readonly AccountModel[]
  /** Epoch ms. */
  readonly now: number
  readonly step: number
  /** All ids that were ever given out: none may come again. */
  readonly ids: ReadonlySet<string>
}

/** Something that happened at one moment. `apply` answers what is wrong with it, or null. */
export interface Op {
  readonly label: string
  apply(world: World): string | null
}

/** One call, with creation ids and back-references already put in place. */
export interface Call {
  readonly account: number
  readonly name: string
  readonly args: Result
  /** What is expected of `ifInState`: the version of the type that the state stood for. */
  readonly ifInVersion?: number
  /** More that the judge of the method needs, such as what the messages say. */
  readonly extra: Result
}

/** Every record asked for has exactly one outcome. */
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

/** @param allowed types of errors that fit; empty when it should have been done */
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

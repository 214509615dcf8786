/**
 * A method beyond the six standard ones, declared as data beside its type. Its handler (`implement` in method.ts) and its callers (REST,
 * the command line) take the types of its arguments and of its response from it.
 */
import type { AccountKind } from '../../server/base/ids.ts'
import type { SetError } from '../protocol/set-error.ts'
import type { Capability } from './capability.ts'
import { type ArgumentsOf, type Flagged, type Properties, p, type WholeOf } from './property.ts'
import type { Weight } from './weight.ts'

export interface MethodDeclaration {
  readonly name: string
  readonly capability: Capability
  /** Kind of the accounts that it works in. */
  readonly accounts: AccountKind
  /** The scope that an API key needs. */
  readonly scope: string
  /** Another scope that is enough too. */
  readonly orScope?: string
  /** Whether it may write: such calls run where the writer is (server/threads). */
  readonly writes: boolean
  /** How much a call that does not write may have to read. Default: `some`. */
  readonly weight?: Weight
  /** Arguments beside accountId. */
  readonly args: Properties
  /** Members of its response beside accountId. */
  readonly answer: Properties
}

export function declareMethod<const D extends MethodDeclaration>(declaration: D): D {
  return declaration
}

/** Arguments as a caller gives them: those with a default may be missing. */
export type GivenTo<D extends MethodDeclaration> = { readonly accountId: string } & GivenMembers<D['args']>
export type GivenMembers<P extends Properties, O extends keyof P = Flagged<P, 'maybe' | 'default'>> = {
  readonly [K in Exclude<keyof P, O>]: P[K]['is']['type' | 'input']
} & { readonly [K in O]?: P[K]['is']['type' | 'input'] }

/** Arguments as the handler gets them, without accountId. */
export type CheckedFor<D extends MethodDeclaration> = ArgumentsOf<D['args']>

export type AnswerOf<D extends MethodDeclaration> = { readonly accountId: string } & WholeOf<D['answer']>

/** Records that were refused, each under its id; null: none. */
export const refused = () => p.map(p.json<SetError>({ type: 'object' })).nullable()

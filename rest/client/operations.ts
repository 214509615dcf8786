/** Types of the calls, from the generated description: the paths of a method, the input of a call, and its answer. */
import type { components, paths } from './api.d.ts'

export type Method = 'get' | 'post' | 'put' | 'patch' | 'delete'
export type Schemas = components['schemas']

/** An event that a receiver of webhooks gets; `event_type` says which. */
export type WebhookEvent = Schemas[Extract<keyof Schemas, `${string}Event`>]

export type Operation<P extends keyof paths, M extends Method> = paths[P] extends { readonly [K in M]: infer O }
  ? O
  : never

export type PathsOf<M extends Method> = {
  [P in keyof paths]: [Operation<P, M>] extends [never] ? never : P
}[keyof paths]

type Parameters<O, Kind extends 'path' | 'query'> = O extends {
  readonly parameters: { readonly [K in Kind]?: infer T }
}
  ? Exclude<T, undefined>
  : never

type BodyOf<O> = O extends { readonly requestBody?: infer B }
  ? Exclude<B, undefined> extends {
      readonly content: { readonly [type in 'application/json' | 'text/calendar']?: infer T }
    }
    ? Exclude<T, undefined>
    : never
  : never

/** `{ name: T }`, optional when nothing in T is required; no member without a T. */
type Given<Name extends string, T> = [T] extends [never]
  ? unknown
  : Record<never, never> extends T
    ? { readonly [K in Name]?: T }
    : { readonly [K in Name]: T }

export interface CallOptions {
  /** Sent with a POST instead of a random one, so that the server recognises a later call as the same. */
  readonly idempotencyKey?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly signal?: AbortSignal
}

export type Input<O> = Given<'path', Parameters<O, 'path'>> &
  Given<'query', Parameters<O, 'query'>> &
  Given<'body', BodyOf<O>> &
  CallOptions

/** The last argument of a call: optional when nothing is required. */
export type Args<O> = Record<never, never> extends Input<O> ? [input?: Input<O>] : [input: Input<O>]

type Successes<O> = O extends { readonly responses: infer R } ? R[keyof R & (200 | 201 | 202 | 204)] : never
type Content<R> = R extends { content: { readonly 'application/json': infer T } } ? T : undefined

export type Output<O> = Content<Successes<O>>

export type Item<O> = Output<O> extends { readonly data: readonly (infer T)[] } ? T : never

/** Paths of lists with pages. */
export type ListPath = {
  [P in PathsOf<'get'>]: Output<Operation<P, 'get'>> extends {
    readonly data: readonly unknown[]
    readonly pagination: object
  }
    ? P
    : never
}[PathsOf<'get'>]

/**
 * Statements that run often: built with kysely and compiled once per engine, then only bound. Parameters have names where the query is
 * written and positions where it runs.
 */
import type { Kysely } from 'kysely'
import type { Tables } from './schema/database.ts'

export type SqlValue = null | number | string | Uint8Array

/** Anything that kysely can compile. */
export interface Compilable<Row = unknown> {
  compile(): { readonly sql: string; readonly parameters: readonly unknown[] }
  /** Carries the type of the rows, as in kysely's builders. */
  execute(): Promise<Row[]>
}

class Placeholder {
  readonly name: string
  constructor(name: string) {
    this.name = name
  }
}

export interface CompiledStatement {
  /** Unique per statement. It is the name of the prepared statement on a connection. */
  readonly key: string
  readonly sql: string
  bind(parameters: { readonly [name: string]: SqlValue }): SqlValue[]
}

export interface Statement<Parameters, Row> {
  compiledFor(builder: Kysely<Tables>): CompiledStatement
  /** Carries the types; never set. */
  readonly types?: { parameters: Parameters; row: Row }
}

let count = 0

/** @param build builds the query; `p('name')` stands for the value that is bound under that name */
export function statement<Parameters extends { [K in keyof Parameters]: SqlValue }>() {
  return <Row>(
    build: (
      db: Kysely<Tables>,
      p: <K extends keyof Parameters & string>(name: K) => NonNullable<Parameters[K]>,
    ) => Compilable<Row>,
  ): Statement<Parameters, Row> => {
    const key = `s${++count}`
    const compiled = new WeakMap<object, CompiledStatement>()
    return {
      compiledFor(builder) {
        let found = compiled.get(builder)
        if (!found) {
          const query = build(builder, (name) => new Placeholder(name) as never).compile()
          found = { key, sql: query.sql, bind: binder(query.parameters) }
          compiled.set(builder, found)
        }
        return found
      },
    }
  }
}

function binder(template: readonly unknown[]): CompiledStatement['bind'] {
  return (parameters) =>
    template.map((value) => {
      if (!(value instanceof Placeholder)) return value as SqlValue
      const bound = parameters[value.name]
      if (bound === undefined) throw new TypeError(`parameter ${value.name} is not bound`)
      return bound
    })
}

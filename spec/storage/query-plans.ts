import type { QueryBuilder, Reader } from '../../storage/ports.ts'
import type { SqlValue } from '../../storage/statement.ts'

/** A reader of SQLite that explains queries instead of running them: they find no rows, and their steps are added to `steps`. */
export async function explaining(reader: Reader, steps: string[]): Promise<Reader> {
  const explain = async (sql: string, parameters: readonly unknown[]): Promise<never[]> => {
    const plan = await reader.sql.raw(`explain query plan ${sql}`, parameters as SqlValue[])
    steps.push(...(plan as { detail: string }[]).map(({ detail }) => detail))
    return []
  }
  let db: QueryBuilder | undefined
  await reader.sql.query((builder) => {
    db = builder
    return builder.selectFrom('account').select('id').limit(0)
  })
  const sql: Reader['sql'] = {
    ...reader.sql,
    mayGoOn: (row) => reader.sql.mayGoOn(row),
    all(statement) {
      const { sql: text } = statement.compiledFor(db as never)
      return explain(text, new Array(text.split('?').length - 1).fill(1))
    },
    query(build) {
      const { sql: text, parameters } = build(db!).compile()
      return explain(text, parameters)
    },
  }
  return { ...reader, sql }
}

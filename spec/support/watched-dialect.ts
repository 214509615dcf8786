import type { Dialect, Writer } from '../../storage/dialect/dialect.ts'

export interface Watch {
  /** Transactions that were committed. */
  commits: number
  /** Called instead of a commit; `commit` executes it. */
  onCommit: (commit: () => Promise<void>) => Promise<void>
  /** Before each statement of a writer. */
  onStatement: () => void
}

/** A dialect whose writers report their actions, and fail when a test wants it. */
export function watchedDialect(): { watch: Watch; around: (dialect: Dialect) => Dialect } {
  const watch: Watch = { commits: 0, onCommit: (commit) => commit(), onStatement: () => {} }
  const around = (dialect: Dialect): Dialect => ({
    ...dialect,
    openWriter: async () => watchedWriter(await dialect.openWriter(), watch),
  })
  return { watch, around }
}

function watchedWriter(writer: Writer, watch: Watch): Writer {
  return {
    all(statement, parameters) {
      watch.onStatement()
      return writer.all(statement, parameters)
    },
    query(query) {
      watch.onStatement()
      return writer.query(query)
    },
    raw(sql, parameters) {
      watch.onStatement()
      return writer.raw(sql, parameters)
    },
    exec: (sql) => writer.exec(sql),
    begin: () => writer.begin(),
    async commit() {
      await watch.onCommit(() => writer.commit())
      watch.commits++
    },
    rollback: () => writer.rollback(),
    get inTransaction() {
      return writer.inTransaction
    },
  }
}

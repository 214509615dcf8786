/** Tables of text for tests: one row per line, columns separated by tabs. */

export interface Table<Row> {
  readonly rows: Row[]
  readonly faults: string[]
}

/**
 * Well-formed rows, and the faults of the others in words. Empty lines and lines that begin with `#` are ignored.
 * @param read a row, or its fault; `place` is `path:line`
 */
export function readTable<Row extends object>(
  path: string,
  text: string,
  read: (place: string, columns: readonly string[]) => Row | string,
): Table<Row> {
  const rows: Row[] = []
  const faults: string[] = []
  text.split('\n').forEach((line, i) => {
    if (line.trim() === '' || line.startsWith('#')) return
    const place = `${path}:${i + 1}`
    const row = read(place, line.split('\t'))
    if (typeof row === 'string') faults.push(`${place}: ${row}`)
    else rows.push(row)
  })
  return { rows, faults }
}

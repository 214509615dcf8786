/** Tables of text that tests are checked against: a row a line, its columns apart by tabs. */

export interface Table<Row> {
  readonly rows: Row[]
  readonly faults: string[]
}

/**
 * Rows that are well formed, and in words what is wrong with the others. Empty lines and those that begin with `#` are none.
 * @param read a row, or what is wrong with it; `place` is `path:line`
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

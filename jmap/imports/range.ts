/** The option `range` (decision D12): `6m` is six calendar months back. */

const RANGE = /^([1-9][0-9]{0,2})([dmy])$/

/** Epoch ms of the oldest mail; null: all. */
export function sinceOf(range: string, now: number): number | null {
  const [, count, unit] = RANGE.exec(range) ?? []
  if (count === undefined) return null
  const back = Number(count)
  const date = new Date(now)
  if (unit === 'd') return now - back * 86_400_000
  const day = date.getUTCDate()
  date.setUTCDate(1)
  date.setUTCMonth(date.getUTCMonth() - (unit === 'm' ? back : 12 * back))
  // The month may be shorter: a month before 31 March is the end of February.
  const last = new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 0)).getUTCDate()
  date.setUTCDate(Math.min(day, last))
  return date.getTime()
}

/** Part of the most that there may be that goes at once. */
const PART = 1 / 16

/**
 * Keeps a Map, whose order is that of last use, to so many entries: when there are more, the oldest sixteenth goes. One at a time each
 * would have to be found behind the places of all that have gone, which a Map keeps for a while: 0.1 ms with 100,000 entries.
 */
export function forgetOldest(map: Map<unknown, unknown>, max: number): void {
  if (map.size <= max) return
  let left = Math.ceil(max * PART)
  for (const key of map.keys()) {
    map.delete(key)
    if (--left === 0) return
  }
}

import type { Test } from 'tap'

/** As t.match, but a list has exactly the items of its pattern: t.match accepts longer lists, and any list for []. */
export function matchWhole(t: Test, found: unknown, pattern: object, message = 'should match pattern'): void {
  const longer = longerLists(found, pattern, '')
  if (longer.length > 0) t.fail(`${message}: more than there should be at ${longer.join(', ')}`, { found, pattern })
  else t.match(found, pattern, message)
}

/** Where `found` has more items than the pattern. */
function longerLists(found: unknown, pattern: unknown, at: string): string[] {
  if (typeof pattern !== 'object' || pattern === null || typeof found !== 'object' || found === null) return []
  const own = Array.isArray(pattern) && Array.isArray(found) && found.length > pattern.length ? [at || 'the top'] : []
  const within = Object.entries(pattern).flatMap(([name, part]) =>
    longerLists((found as { [name: string]: unknown })[name], part, `${at}/${name}`),
  )
  return [...own, ...within]
}

/** Characters of all strings in plain data, without the names of members. It stops counting beyond `max`. */
export function charsIn(value: unknown, max = Number.POSITIVE_INFINITY): number {
  let count = 0
  const walk = (one: unknown): void => {
    if (typeof one === 'string') count += one.length
    else if (typeof one === 'object' && one !== null)
      for (const member of Object.values(one)) {
        if (count > max) return
        walk(member)
      }
  }
  walk(value)
  return count
}

/** Whether the strings of plain data have more characters than that, all together. */
export function isLargeObject(value: unknown, maxChars: number): boolean {
  let left = maxChars
  const walk = (one: unknown): void => {
    if (typeof one === 'string') left -= one.length
    else if (typeof one === 'object' && one !== null)
      for (const member of Object.values(one)) {
        if (left < 0) return
        walk(member)
      }
  }
  walk(value)
  return left < 0
}

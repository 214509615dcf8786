/** Whether the tests in rows exist. */
import type { NamedTest } from './index-rows.ts'
import { type TitlePattern, testTitles } from './test-titles.ts'

/** @param read the text of a file by its path from the top; null: it does not exist */
export function missingTests(
  read: (path: string) => string | null,
  rows: readonly { readonly place: string; readonly tests: readonly NamedTest[] }[],
): string[] {
  const files = new Map<string, readonly TitlePattern[] | null>()
  const titlesOf = (file: string) => {
    if (!files.has(file)) {
      const text = read(file)
      files.set(file, text === null ? null : testTitles(text))
    }
    return files.get(file)!
  }
  return rows.flatMap(({ place, tests }) =>
    tests.flatMap(({ file, title }) => {
      const titles = titlesOf(file)
      if (!titles) return [`${place}: ${file} is not there`]
      return titles.some((one) => one.matches(title)) ? [] : [`${place}: ${file} has no test '${title}'`]
    }),
  )
}

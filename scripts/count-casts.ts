/**
 * Counts constructs that the type checker cannot check: `as` (except `as const`), `any`, `!` and members read by a quoted name. `node
 * scripts/count-casts.ts` prints the counts of jmap/ and rest/, and the files with the most.
 */
import { ts } from '@ts-morph/common'
import { type SourceFile, sourceFiles } from '../spec/architecture/source-files.ts'

export const BLIND_SPOTS = ['as', 'any', '!', "['name']"] as const
export type Counts = { readonly [spot in (typeof BLIND_SPOTS)[number]]: number }

export function countCasts({ path, text }: SourceFile): Counts {
  const counts = { as: 0, any: 0, '!': 0, "['name']": 0 }
  const visit = (node: ts.Node): void => {
    if (ts.isAsExpression(node) && !ts.isConstTypeReference(node.type)) counts.as++
    else if (node.kind === ts.SyntaxKind.AnyKeyword) counts.any++
    else if (ts.isNonNullExpression(node)) counts['!']++
    else if (ts.isElementAccessExpression(node) && ts.isStringLiteral(node.argumentExpression)) counts["['name']"]++
    ts.forEachChild(node, visit)
  }
  visit(ts.createSourceFile(path, text, ts.ScriptTarget.Latest))
  return counts
}

export function sumCasts(files: readonly SourceFile[]): Counts {
  const all = files.map(countCasts)
  const sum = (spot: (typeof BLIND_SPOTS)[number]) => all.reduce((total, counts) => total + counts[spot], 0)
  return { as: sum('as'), any: sum('any'), '!': sum('!'), "['name']": sum("['name']") }
}

if (import.meta.main) {
  for (const folder of ['jmap/', 'rest/']) {
    const files = sourceFiles().filter(({ path }) => path.startsWith(folder))
    console.log(folder, JSON.stringify(sumCasts(files)))
    const most = files.map((file) => ({ path: file.path, ...countCasts(file) }))
    most.sort((a, b) => b.as + b["['name']"] - a.as - a["['name']"])
    console.table(most.slice(0, 15))
  }
}

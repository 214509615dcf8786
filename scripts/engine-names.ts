import type { EngineName } from '../spec/support/engines.ts'

const ENGINES: readonly EngineName[] = ['sqlite', 'postgres']

/** Engines named with commas between them. @throws Error for one that there is not, or none */
export function enginesIn(text: string): EngineName[] {
  return text.split(',').map((name) => {
    const engine = ENGINES.find((one) => one === name)
    if (!engine) throw new Error(`--engines names ${ENGINES.join(' or ')}, not '${name}'`)
    return engine
  })
}

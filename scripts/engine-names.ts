import type { EngineName } from '../spec/support/engines.ts'

const ENGINES: readonly EngineName[] = ['sqlite', 'postgres']

/** Engine names separated by commas. @throws Error for an unknown name, or none */
export function enginesIn(text: string): EngineName[] {
  return text.split(',').map((name) => {
    const engine = ENGINES.find((one) => one === name)
    if (!engine) throw new Error(`--engines names ${ENGINES.join(' or ')}, not '${name}'`)
    return engine
  })
}

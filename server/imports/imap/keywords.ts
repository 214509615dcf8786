/** RFC 8621 4.1.1: keywords of flags. \Recent has none, and messages with \Deleted are not visible over JMAP. */
const SYSTEM: { readonly [flag: string]: string } = {
  '\\seen': '$seen',
  '\\answered': '$answered',
  '\\flagged': '$flagged',
  '\\draft': '$draft',
}

export function keywordsOfFlags(flags: readonly string[]): string[] {
  return flags.flatMap((flag) => {
    const lower = flag.toLowerCase()
    return SYSTEM[lower] ?? (lower.startsWith('\\') ? [] : [lower])
  })
}

export function isDeleted(flags: readonly string[]): boolean {
  return flags.some((flag) => flag.toLowerCase() === '\\deleted')
}

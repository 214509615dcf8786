/** RFC 8621 4.1.1: keywords are 1 to 255 of these characters, compared without case and kept in lower case. */
const KEYWORD = /^[\x21-\x7e]{1,255}$/
const FORBIDDEN = /[(){\]%*"\\]/

export function isKeyword(text: string): boolean {
  return KEYWORD.test(text) && !FORBIDDEN.test(text)
}

/** Keywords in lower case, sorted, each once. */
export function normaliseKeywords(keywords: Iterable<string>): string[] {
  return [...new Set([...keywords].map((keyword) => keyword.toLowerCase()))].sort()
}

/** RFC 8621 2: an email is unread if it has neither $seen nor $draft. */
export function isUnread(keywords: readonly string[]): boolean {
  return !keywords.includes('$seen') && !keywords.includes('$draft')
}

/** The stored text: `{"$seen":true}`. */
export function keywordsText(keywords: readonly string[]): string {
  return `{${keywords.map((keyword) => `${JSON.stringify(keyword)}:true`).join(',')}}`
}

export function parseKeywords(text: string): string[] {
  return Object.keys(JSON.parse(text) as object)
}

/** RFC 5256 2.1: the base subject, which replies and forwards of a conversation share. */

/** RFC 5256 2.1 requires exactly this algorithm, so no localised prefixes (AW, SV ...) are added. */
const LEADERS = new Set(['re', 'fw', 'fwd'])

/** The base subject of a decoded subject; '' if nothing else is left. Linear: each character is read a few times. */
export function baseSubject(subject: string): string {
  // (1) tabs and continuations to space, runs of spaces to one.
  let text = subject.replace(/\s+/g, ' ')
  for (;;) {
    text = withoutTrailers(text)
    text = withoutLeaders(text)
    // (6) subj-fwd-hdr ... subj-fwd-trl
    if (!/^\[fwd:/i.test(text) || !text.endsWith(']')) return text
    text = text.slice(5, -1)
  }
}

// (2) subj-trailer = "(fwd)" / WSP
function withoutTrailers(text: string): string {
  let end = text.length
  for (;;) {
    if (end > 0 && text.charCodeAt(end - 1) === 0x20) end--
    else if (end >= 5 && text.slice(end - 5, end).toLowerCase() === '(fwd)') end -= 5
    else return text.slice(0, end)
  }
}

// (3) to (5): subj-leader = (*subj-blob subj-refwd) / WSP; subj-blob goes too when something is left.
function withoutLeaders(text: string): string {
  let start = 0
  for (;;) {
    if (text.charCodeAt(start) === 0x20) {
      start++
      continue
    }
    const blobs = skipBlobs(text, start)
    const refwd = skipRefwd(text, blobs)
    if (refwd > 0) {
      start = refwd
      continue
    }
    // (4) blobs are removed while something is left; a subject of only blobs keeps its last one.
    return blobs < text.length ? text.slice(blobs) : text.slice(lastBlob(text, start))
  }
}

function lastBlob(text: string, start: number): number {
  let index = start
  for (let next = skipBlob(text, index); next > 0 && next < text.length; next = skipBlob(text, index)) index = next
  return index
}

/** subj-blob = "[" *BLOBCHAR "]" *WSP, BLOBCHAR being all but brackets: the index after it, or 0. */
function skipBlob(text: string, start: number): number {
  if (text.charCodeAt(start) !== 0x5b) return 0
  let index = start + 1
  for (; index < text.length; index++) {
    const code = text.charCodeAt(index)
    if (code === 0x5d) break
    if (code === 0x5b) return 0
  }
  if (index >= text.length) return 0
  index++
  while (text.charCodeAt(index) === 0x20) index++
  return index
}

function skipBlobs(text: string, start: number): number {
  let index = start
  for (let next = skipBlob(text, index); next > 0; next = skipBlob(text, index)) index = next
  return index
}

/** subj-refwd = ("re" / ("fw" ["d"])) *WSP [subj-blob] ":": the index after it, or 0. */
function skipRefwd(text: string, start: number): number {
  let index = start
  while (index < start + 3 && isLetter(text.charCodeAt(index))) index++
  if (!LEADERS.has(text.slice(start, index).toLowerCase())) return 0
  while (text.charCodeAt(index) === 0x20) index++
  index = skipBlob(text, index) || index
  return text.charCodeAt(index) === 0x3a ? index + 1 : 0
}

function isLetter(code: number): boolean {
  const letter = code | 0x20
  return letter >= 0x61 && letter <= 0x7a
}

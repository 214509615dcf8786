/** Text of a search snippet: HTML-escaped, with matches in `<mark>` (RFC 8621 5). */
import { Buffer } from 'node:buffer'
import { SNIPPET_MAX_BYTES } from '../../../server/base/limits.ts'
import type { Match } from '../../../storage/search/matches.ts'

const MARK = '<mark>'
const END_MARK = '</mark>'
const ELLIPSIS = '…'
/** Octets of text before the first match. */
const LEAD_BYTES = 80
/** UTF-16 units that are searched for that text; white space takes no room in it. */
const LEAD_MAX_CHARS = 2_000
/** UTF-16 units within which matches count as close together. */
const TOGETHER = 150
/** Matches that are compared. */
const WEIGHED_MAX = 500

type Part = { readonly start: number; readonly end: number }

/** A whole text with all matches marked. */
export function markAll(text: string, matches: readonly Match[]): string {
  let marked = ''
  let at = 0
  for (const { start, end } of merged(matches)) {
    marked += `${escapeHtml(text.slice(at, start))}${MARK}${escapeHtml(text.slice(start, end))}${END_MARK}`
    at = end
  }
  return marked + escapeHtml(text.slice(at))
}

/** The part of a text with the most matches, in at most SNIPPET_MAX_BYTES octets. White space is folded. */
export function markBest(text: string, matches: readonly Match[]): string {
  const best = bestMatch(matches)
  const parts = merged(matches).filter(({ end }) => end > best.start)
  const first = parts[0]!
  const budget = SNIPPET_MAX_BYTES - 2 * Buffer.byteLength(ELLIPSIS)
  const head = markedWithin(text, first, budget)
  const lead = leadOf(text, first.start, Math.min(LEAD_BYTES, budget - Buffer.byteLength(head.text)))
  let out = lead.text + head.text
  let at = head.end
  let left = budget - Buffer.byteLength(out)
  for (const next of [...parts.slice(1), { start: text.length, end: text.length }]) {
    const between = head.isWhole ? escapedWithin(folded(text.slice(at, next.start)), left) : null
    if (!between) break
    out += between.text
    left -= between.bytes
    at = between.isWhole ? next.start : at
    if (!between.isWhole || next.start === text.length) break
    const whole = mark(text, next)
    if (Buffer.byteLength(whole) > left) break
    out += whole
    left -= Buffer.byteLength(whole)
    at = next.end
  }
  return `${lead.isWhole ? '' : ELLIPSIS}${out.trim()}${at >= text.trimEnd().length ? '' : ELLIPSIS}`
}

/** The match that is followed by the most different phrases within a short distance; the first of equals. */
function bestMatch(matches: readonly Match[]): Match {
  let best = matches[0]!
  let most = 0
  for (const [i, match] of matches.slice(0, WEIGHED_MAX).entries()) {
    const phrases = new Set<number>()
    for (let j = i; j < Math.min(matches.length, i + WEIGHED_MAX); j++) {
      const other = matches[j]!
      if (other.start > match.start + TOGETHER) break
      phrases.add(other.phrase)
    }
    if (phrases.size > most) {
      most = phrases.size
      best = match
    }
  }
  return best
}

/** Parts that do not overlap, in order. */
function merged(matches: readonly Match[]): Part[] {
  const parts: { start: number; end: number }[] = []
  for (const { start, end } of matches) {
    const last = parts.at(-1)
    if (last && start < last.end) last.end = Math.max(last.end, end)
    else parts.push({ start, end })
  }
  return parts
}

function mark(text: string, { start, end }: Part): string {
  return MARK + escapeHtml(folded(text.slice(start, end))) + END_MARK
}

/** A marked part, cut to the available room. */
function markedWithin(text: string, part: Part, budget: number): { text: string; end: number; isWhole: boolean } {
  const inner = escapedWithin(folded(text.slice(part.start, part.end)), budget - MARK.length - END_MARK.length)
  return { text: MARK + inner.text + END_MARK, end: inner.isWhole ? part.end : part.start, isWhole: inner.isWhole }
}

/** Whole words before `end`, in scripts with spaces between words. */
function leadOf(text: string, end: number, budget: number): { text: string; isWhole: boolean } {
  const from = Math.max(0, end - LEAD_MAX_CHARS)
  const before = folded(text.slice(from, end)).trimStart()
  let lead = ''
  let left = budget
  for (const character of [...before].reverse()) {
    const escaped = escapeHtml(character)
    left -= Buffer.byteLength(escaped)
    if (left < 0) {
      const space = lead.indexOf(' ')
      // A cut word is omitted, unless nothing else is left.
      return { text: space >= 0 && space < lead.length - 1 ? lead.slice(space + 1) : lead, isWhole: false }
    }
    lead = escaped + lead
  }
  return { text: lead, isWhole: from === 0 }
}

/** The beginning of a text, escaped, in at most `budget` octets; cut between characters. */
function escapedWithin(text: string, budget: number): { text: string; bytes: number; isWhole: boolean } {
  let out = ''
  let bytes = 0
  for (const character of text) {
    const escaped = escapeHtml(character)
    const size = Buffer.byteLength(escaped)
    if (bytes + size > budget) return { text: out, bytes, isWhole: false }
    out += escaped
    bytes += size
  }
  return { text: out, bytes, isWhole: true }
}

function folded(text: string): string {
  return text.replace(/[\s\0-\x1f]+/g, ' ')
}

// RFC 8621 5: these three MUST be entities.
function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}

/** Subjects of replies (RFC 5322 3.6.5). */

/** One "Re: ", however often it was answered. */
export function replySubject(subject: string | null): string {
  const text = oneLine(subject ?? '')
  return /^re:/i.test(text) ? text : `Re: ${text}`.trim()
}

/** A text without control characters and line ends: what comes from a message may hold any. */
export function oneLine(text: string): string {
  return text.replace(/[\p{Cc}\u2028\u2029]+/gu, ' ').trim()
}

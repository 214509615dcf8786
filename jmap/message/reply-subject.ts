/** Subjects of replies (RFC 5322 3.6.5). */

/** With one "Re: ", however many the subject has. */
export function replySubject(subject: string | null): string {
  const text = oneLine(subject ?? '')
  return /^re:/i.test(text) ? text : `Re: ${text}`.trim()
}

/** A text without control characters and line ends: text from messages may contain them. */
export function oneLine(text: string): string {
  return text.replace(/[\p{Cc}\u2028\u2029]+/gu, ' ').trim()
}

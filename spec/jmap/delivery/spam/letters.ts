/** Generated letters for the tests of the spam score. */

let count = 0

/** A message without symbols, except for its text. */
export function letter(subject: string, text: string, fields: readonly string[] = []): string {
  count++
  return [
    'From: Anna Example <anna@example.org>',
    'To: Ben Example <ben@example.test>',
    `Subject: ${subject}`,
    'Date: Thu, 01 Jan 2026 00:00:00 +0000',
    `Message-ID: <letter-${count}@example.org>`,
    ...fields,
    '',
    text,
    '',
  ].join('\r\n')
}

/** Texts that no symbol matches. */
export const OFFERS: readonly string[] = [
  'Gleaming kettles straight from our northern warehouse, crates stacked high, shipped by tomorrow morning.',
  'Our northern warehouse has crates of gleaming kettles and copper lanterns, shipped wherever it pleases.',
  'Copper lanterns, gleaming kettles, woollen carpets: the northern warehouse ships whole crates tomorrow.',
  'Woollen carpets stacked high in the northern warehouse, crates shipped tomorrow with gleaming kettles inside.',
  'Crates of copper lanterns shipped straight from the warehouse, with woollen carpets stacked beside them.',
]

export const REPORTS: readonly string[] = [
  'The committee meets on Tuesday about the harbour survey; please bring the minutes and the tide tables.',
  'Minutes of the harbour survey are attached, the tide tables follow once the committee has agreed.',
  'Could the committee read the tide tables before Tuesday? The survey of the harbour needs the minutes.',
  'On Tuesday the harbour survey goes to the committee with tide tables and minutes of the last meeting.',
  'Please send the minutes to the committee; the tide tables of the harbour survey were agreed on Tuesday.',
]

/** Messages for benchmarks: about 5 kB of plain text each, with different words, CRLF throughout. */
const WORDS =
  'harbour letter morning account invoice window river planet garden budget travel answer number reason yellow simple basket thunder'.split(
    ' ',
  )

export function benchMessage(index: number): Buffer {
  const lines = Array.from({ length: 62 }, (_, line) => {
    const words = Array.from({ length: 9 }, (_, word) => WORDS[(index * 7 + line * 5 + word * 3) % WORDS.length]!)
    return `${words.join(' ')} ${(index * 31 + line) % 9973}`
  })
  return Buffer.from(
    [
      `From: "Sender ${index % 97}" <sender${index % 97}@example.org>`,
      'To: Hello <hello@example.test>',
      `Subject: ${WORDS[index % WORDS.length]} ${WORDS[(index * 3 + 1) % WORDS.length]} ${index}`,
      `Message-ID: <bench.${index}.${process.pid}@example.org>`,
      'Date: Fri, 20 Nov 2026 10:00:00 +0100',
      'MIME-Version: 1.0',
      'Content-Type: text/plain; charset=utf-8',
      '',
      ...lines,
      '',
    ].join('\r\n'),
  )
}

/** Hostile client input: commands out of order, cut, or mixed with any octets. */

const NOISE = [
  '\0',
  '\r',
  '\n',
  '\r\n',
  '.',
  '.\r\n',
  '<',
  '>',
  '"',
  '\\',
  '@',
  ' ',
  '\t',
  '\x80',
  '\xff',
  '\x16\x03\x01',
]

function words(recipient: string): readonly string[] {
  const envelope = `MAIL FROM:<x@out.test>\r\nRCPT TO:<${recipient}>\r\n`
  return [
    'EHLO x.test\r\n',
    'HELO x\r\n',
    envelope,
    `${envelope}DATA\r\n`,
    `EHLO x.test\r\n${envelope}DATA\r\nSubject: x\r\n\r\nbody\r\n.\r\n`,
    'MAIL FROM:<> SIZE=99999999999\r\n',
    'MAIL FROM:<"\\"@x>\r\n',
    `RCPT TO:<${recipient}> NOTIFY=NEVER ORCPT=rfc822;x\r\n`,
    'RCPT TO:<nobody@nowhere.test>\r\n',
    'DATA\r\n',
    'BDAT 10 LAST\r\n',
    'RSET\r\n',
    'NOOP\r\n',
    'VRFY x\r\n',
    'STARTTLS\r\n',
    'AUTH PLAIN ====\r\n',
    'PROXY TCP4 192.0.2.1 192.0.2.2 1 2\r\n',
    'GET / HTTP/1.1\r\nHost: x\r\n\r\n',
    `${'x'.repeat(3_000)}\r\n`,
    '\r\n.\r\n',
  ]
}

/** Up to 30 pieces, some of them cut or with a changed octet. */
export function randomSession(random: () => number, recipient: string): Buffer[] {
  const all = [...words(recipient), ...NOISE]
  return Array.from({ length: Math.floor(random() * 30) }, () => {
    const word = Buffer.from(all[Math.floor(random() * all.length)]!, 'latin1')
    if (random() < 0.2) return word.subarray(0, Math.floor(random() * word.length))
    if (random() < 0.2 && word.length > 0) word[Math.floor(random() * word.length)] = Math.floor(random() * 256)
    return word
  })
}

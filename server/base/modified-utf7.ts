/** The encoding of folder names in IMAP (RFC 3501 5.1.3), in Gmail's labels and in Maildirs. */

/** @returns the text as it is where it is not well formed */
export function decodeModifiedUtf7(text: string): string {
  return text.replaceAll(/&([A-Za-z0-9+,]*)-/g, (whole, encoded: string) => {
    if (encoded === '') return '&'
    const octets = Buffer.from(encoded.replaceAll(',', '/'), 'base64')
    return octets.length > 0 && octets.length % 2 === 0 ? octets.swap16().toString('utf16le') : whole
  })
}

export function encodeModifiedUtf7(text: string): string {
  return text.replaceAll(/[^\x20-\x7e]+|&/g, (run) => {
    if (run === '&') return '&-'
    const octets = Buffer.from(run, 'utf16le').swap16().toString('base64')
    return `&${octets.replaceAll('=', '').replaceAll('/', ',')}-`
  })
}

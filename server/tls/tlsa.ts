/** The value of the TLSA record for the mail host's certificate (RFC 6698, RFC 7672 3.1.1). */
import { createHash, X509Certificate } from 'node:crypto'
import { readFile } from 'node:fs/promises'

/**
 * `3 1 1 <hex>`: the digest of the public key. It stays valid when the certificate is renewed for the same key.
 * @param file PEM. @returns null if the file cannot be read
 */
export async function tlsaOf(file: string): Promise<string | null> {
  try {
    const key = new X509Certificate(await readFile(file)).publicKey.export({ type: 'spki', format: 'der' })
    return `3 1 1 ${createHash('sha256').update(key).digest('hex')}`
  } catch {
    return null
  }
}

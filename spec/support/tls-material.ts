import { generate } from 'selfsigned'

let made: Promise<{ key: string; cert: string }> | null = null

/** A self-signed certificate for localhost, created once per process. */
export function tlsMaterial(): Promise<{ key: string; cert: string }> {
  made ??= generate([{ name: 'commonName', value: 'localhost' }], { keySize: 2048, algorithm: 'sha256' }).then(
    ({ private: key, cert }) => ({ key, cert }),
  )
  return made
}

/** A self-signed certificate for https://127.0.0.1, which clients accept that trust it as an authority. */
export async function loopbackCertificate(): Promise<{ key: string; cert: string }> {
  const { private: key, cert } = await generate([{ name: 'commonName', value: '127.0.0.1' }], {
    keySize: 2048,
    algorithm: 'sha256',
    extensions: [{ name: 'subjectAltName', altNames: [{ type: 7, ip: '127.0.0.1' }] }],
  })
  return { key, cert }
}

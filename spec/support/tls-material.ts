import { generate } from 'selfsigned'

let made: Promise<{ key: string; cert: string }> | null = null

/** A self-signed certificate for localhost, created once per process. */
export function tlsMaterial(): Promise<{ key: string; cert: string }> {
  made ??= generate([{ name: 'commonName', value: 'localhost' }], { keySize: 2048, algorithm: 'sha256' }).then(
    ({ private: key, cert }) => ({ key, cert }),
  )
  return made
}

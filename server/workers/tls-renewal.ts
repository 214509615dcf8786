/** Gives the SMTP listeners a renewed certificate without a restart, when the operator's files have changed. */
import { statSync } from 'node:fs'
import { operatorsMaterial, type TlsFiles } from '../tls/material.ts'
import type { Turn, WorkerDeps } from './worker.ts'

type Needs = Pick<WorkerDeps, 'renewTls' | 'logger'> & { readonly config: { readonly tls: TlsFiles | null } }

/** null: the certificate is self-signed. */
export function tlsRenewal({ config, renewTls, logger }: Needs): Turn | null {
  const { tls } = config
  if (!tls) return null
  let known = versionOf(tls)
  // A key and a certificate that do not match (yet) fail, and are read again at the next turn.
  return async () => {
    const version = versionOf(tls)
    if (version === known) return
    renewTls(operatorsMaterial(tls))
    known = version
    logger.info({ cert: tls.cert }, 'the certificate was renewed')
  }
}

function versionOf({ cert, key }: TlsFiles): string {
  return [cert, key]
    .map((file) => statSync(file))
    .flatMap(({ mtimeMs, size }) => [mtimeMs, size])
    .join(' ')
}

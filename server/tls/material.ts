/** The certificate of the SMTP listeners: the operator's, or a self-signed one that is created once and kept in the data folder. */
import { X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { isIP } from 'node:net'
import { createSecureContext } from 'node:tls'
import type { Clock } from '../base/clock.ts'
import { errorMessage, Failure } from '../base/errors.ts'
import { SELF_SIGNED_LIFETIME_MS } from '../base/limits.ts'
import type { Config } from '../config/config.ts'
import { readPrivateFile, writePrivateFile } from '../startup/data-folder.ts'

export interface TlsMaterial {
  /** PEM. */
  readonly key: string
  readonly cert: string
}

/** Paths of PEM files. */
export interface TlsFiles {
  readonly cert: string
  readonly key: string
}

const CERT_FILE = 'self-signed-cert.pem'
const KEY_FILE = 'self-signed-key.pem'

/** @throws Failure `configuration` if the operator's files cannot be read or do not match */
export async function tlsMaterial(
  config: Pick<Config, 'tls' | 'data' | 'hostname'>,
  clock: Clock,
): Promise<TlsMaterial> {
  if (config.tls) return operatorsMaterial(config.tls)
  const kept = keptMaterial(config.data, clock.now())
  if (kept) return kept
  const made = await selfSigned(config.hostname, clock.now())
  // The key is written first: a crash must not leave a certificate without its key.
  writePrivateFile(config.data, KEY_FILE, made.key)
  writePrivateFile(config.data, CERT_FILE, made.cert)
  return made
}

/** @throws Failure `configuration` if they cannot be read or do not match */
export function operatorsMaterial(files: TlsFiles): TlsMaterial {
  try {
    const material = { key: readFileSync(files.key, 'utf8'), cert: readFileSync(files.cert, 'utf8') }
    createSecureContext(material)
    return material
  } catch (error) {
    throw new Failure('configuration', `tls_cert ${files.cert} with tls_key ${files.key}: ${errorMessage(error)}`)
  }
}

/** The pair of an earlier start; null: it is missing, damaged or expired. */
function keptMaterial(folder: string, now: number): TlsMaterial | null {
  const cert = readPrivateFile(folder, CERT_FILE)
  const key = readPrivateFile(folder, KEY_FILE)
  if (cert === null || key === null) return null
  try {
    createSecureContext({ cert, key })
    return new X509Certificate(cert).validToDate.getTime() > now ? { cert, key } : null
  } catch {
    return null
  }
}

async function selfSigned(hostname: string, now: number): Promise<TlsMaterial> {
  // Loaded on demand: it is slow to load and needed once per installation.
  const { generate } = await import('selfsigned')
  const names = new Set([hostname, 'localhost'])
  const { private: key, cert } = await generate([{ name: 'commonName', value: hostname.slice(0, 64) }], {
    keySize: 2048,
    algorithm: 'sha256',
    notBeforeDate: new Date(now),
    notAfterDate: new Date(now + SELF_SIGNED_LIFETIME_MS),
    extensions: [
      { name: 'basicConstraints', cA: false, critical: true },
      { name: 'keyUsage', digitalSignature: true, keyEncipherment: true, critical: true },
      { name: 'extKeyUsage', serverAuth: true },
      {
        name: 'subjectAltName',
        altNames: [
          ...[...names].filter((name) => !isIP(name)).map((value) => ({ type: 2 as const, value })),
          { type: 7, ip: '127.0.0.1' },
          { type: 7, ip: '::1' },
        ],
      },
    ],
  })
  return { key, cert }
}

/**
 * DANE (RFC 7672, RFC 6698): TLSA records that a mail host's certificate has to match. They count only with DNSSEC, for which the AD bit of the
 * resolver is trusted: the resolver and the path to it have to be trustworthy, such as a resolver on this machine.
 */
import { createHash, X509Certificate } from 'node:crypto'

export interface TlsaRecord {
  readonly usage: number
  readonly selector: number
  readonly matching: number
  readonly data: Buffer
}

const [DANE_TA, DANE_EE] = [2, 3]

/** RFC 7672 3.1: usages 0 and 1 are not for mail; records with an unknown selector or matching type are not usable. */
export function usableTlsa(records: readonly TlsaRecord[]): TlsaRecord[] {
  return records.filter(
    ({ usage, selector, matching }) => (usage === DANE_TA || usage === DANE_EE) && selector <= 1 && matching <= 2,
  )
}

/**
 * Whether a host's certificates match the records.
 * @param chain DER as the host sent them, its own first
 * @param names of which a certificate below a trust anchor needs one (RFC 7672 3.2.2)
 * @param now epoch ms
 */
export function matchesDane(
  records: readonly TlsaRecord[],
  chain: readonly Buffer[],
  names: readonly string[],
  now: number,
): boolean {
  const certificates = chain.map((der) => new X509Certificate(der))
  const [leaf] = certificates
  if (!leaf) return false
  // RFC 7672 3.1.1: names and dates of the host's own certificate are not checked.
  if (records.some((record) => record.usage === DANE_EE && matches(record, leaf))) return true
  const anchors = records.filter(({ usage }) => usage === DANE_TA)
  if (anchors.length === 0 || !names.some((name) => leaf.checkHost(name) !== undefined)) return false
  for (const [i, certificate] of certificates.entries()) {
    if (!isCurrent(certificate, now)) return false
    if (i > 0 && anchors.some((record) => matches(record, certificate))) return true
    const issuer = certificates[i + 1]
    if (!issuer || !certificate.checkIssued(issuer) || !certificate.verify(issuer.publicKey)) return false
  }
  return false
}

function isCurrent({ validFrom, validTo }: X509Certificate, now: number): boolean {
  return Date.parse(validFrom) <= now && now <= Date.parse(validTo)
}

function matches({ selector, matching, data }: TlsaRecord, certificate: X509Certificate): boolean {
  const selected = selector === 0 ? certificate.raw : certificate.publicKey.export({ type: 'spki', format: 'der' })
  const hash = matching === 1 ? 'sha256' : 'sha512'
  const compared = matching === 0 ? selected : createHash(hash).update(selected).digest()
  return compared.equals(data)
}

/** The operator's settings for imports from other servers (decision D33). */
import { resolve } from 'node:path'
import type { SettingReader } from './setting-reader.ts'

export interface ImportSettings {
  /** Private IP addresses and CIDR networks that imports may read from. */
  readonly allowNetworks: readonly string[]
  /** PEM file of authorities that are trusted beside the known ones; null: none. */
  readonly tlsCa: string | null
}

export function readImports(read: SettingReader): ImportSettings {
  const tlsCa = read.text('import_tls_ca')
  return { allowNetworks: read.networks('import_allow_private_cidrs'), tlsCa: tlsCa === null ? null : resolve(tlsCa) }
}

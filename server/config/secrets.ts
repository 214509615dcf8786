/** Settings that must never be shown: kept apart from the rest, so that a config can be logged or printed without a look at it. */
import type { RawSettings } from './env.ts'

export interface Secrets {
  /** `postgres://...`; null on SQLite. */
  readonly databaseUrl: string | null
  readonly s3SecretKey: string | null
  /** `smtp://user:password@host:port`; null without a relay. */
  readonly relayUrl: string | null
  /** null: the model's server asks for none. */
  readonly modelKey: string | null
  /** Hexadecimal digits, with commas between several; null: a key that is kept in the data folder. */
  readonly secretKey: string | null
}

export function readSecrets(raw: RawSettings): Secrets {
  const database = raw.get('database')?.text ?? 'sqlite'
  const outbound = raw.get('outbound')?.text ?? ''
  return {
    databaseUrl: database === 'sqlite' ? null : database,
    s3SecretKey: raw.get('s3_secret_key')?.text ?? null,
    modelKey: raw.get('model_key')?.text ?? null,
    secretKey: raw.get('secret_key')?.text ?? null,
    relayUrl: /^smtps?:/.test(outbound) ? outbound : null,
  }
}

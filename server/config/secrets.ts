/** Secret settings. They are separate from the config, so that the config can be logged. */
import type { RawSettings } from './env.ts'
import { readRegistrarSecrets } from './registrar-settings.ts'

export interface Secrets {
  /** `postgres://...`; null on SQLite. */
  readonly databaseUrl: string | null
  readonly s3SecretKey: string | null
  /** `smtp://user:password@host:port`; null without a relay. */
  readonly relayUrl: string | null
  /** null: the model's server needs none. */
  readonly modelKey: string | null
  /** null: no registrar is configured. */
  readonly registrarKey: string | null
  /** null: bought domains have the registrar's DNS. */
  readonly dnsProviderKey: string | null
  /** Keys of Stripe: of its API, and of the signatures of its webhooks; null: it does not bill. */
  readonly stripeSecretKey: string | null
  readonly stripeWebhookSecret: string | null
  /** Hexadecimal digits, several keys separated by commas; null: a key in the data folder. */
  readonly secretKey: string | null
}

export function readSecrets(raw: RawSettings): Secrets {
  const database = raw.get('database')?.text ?? 'sqlite'
  const outbound = raw.get('outbound')?.text ?? ''
  return {
    databaseUrl: database === 'sqlite' ? null : database,
    s3SecretKey: raw.get('s3_secret_key')?.text ?? null,
    modelKey: raw.get('model_key')?.text ?? null,
    ...readRegistrarSecrets(raw),
    stripeSecretKey: raw.get('stripe_secret_key')?.text ?? null,
    stripeWebhookSecret: raw.get('stripe_webhook_secret')?.text ?? null,
    secretKey: raw.get('secret_key')?.text ?? null,
    relayUrl: /^smtps?:/.test(outbound) ? outbound : null,
  }
}

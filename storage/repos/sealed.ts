/** Which keys the stored secrets are sealed with. A sealed text begins with `v1.` and the name of its key (server/base/keyring.ts). */
import { type RawBuilder, sql } from 'kysely'
import type { Reader } from '../ports.ts'
import { rawQuery, unionAll } from '../raw-query.ts'

const NAME = /\bv1\.([0-9a-f]{8})\./g

interface Sealed {
  readonly text: string
}

/** Texts of each table that has sealed ones, by its name. Objects of other types hold words of users, which may look alike. */
const SEALED = {
  idempotency: sql<Sealed>`select answer as text from idempotency where answer is not null`,
  idempotency_step: sql<Sealed>`select outcome as text from idempotency_step`,
  import: sql<Sealed>`select secret as text from import where secret is not null`,
  installation: sql<Sealed>`select value as text from installation where value like 'v1.%'`,
  object: sql<Sealed>`select data as text from object where type in ('DkimKey', 'Domain', 'Webhook', 'ConferencingConnection') and data like '%"v1.%'`,
  push_subscription: sql<Sealed>`select keys as text from push_subscription where keys is not null`,
  domain_work: sql<Sealed>`select data as text from domain_work where kind = 'registration' and data like '%"v1.%'`,
} satisfies { readonly [table: string]: RawBuilder<Sealed> }

export const SEALED_TABLES: readonly string[] = Object.keys(SEALED)

/** Names of the keys of the installation's own secrets, which exist from the first start and are sealed with the newest key. */
export async function installationKeyNames(reader: Reader): Promise<Set<string>> {
  return namesIn(await rawQuery(reader.sql, SEALED.installation))
}

/** Names of all keys that something is sealed with. It reads all objects. */
export async function sealingKeyNames(reader: Reader): Promise<Set<string>> {
  return namesIn(await unionAll(reader.sql, Object.values(SEALED)))
}

function namesIn(rows: readonly Sealed[]): Set<string> {
  return new Set(rows.flatMap(({ text }) => [...text.matchAll(NAME)].map(([, name]) => name!)))
}

/**
 * Links in newsletters by which a recipient unsubscribes, or chooses what to get. They work as long as the organization exists: whatever they
 * need is in them, sealed, because the newsletter, the audience and the subscriber may be gone when a link is used.
 */
import type { Keyring, SecretPlace } from '../../../server/base/keyring.ts'

/** Who got which newsletter. */
export interface Recipient {
  /** Number of the organization. */
  readonly account: number
  /** Number of the Newsletter. */
  readonly newsletter: number
  /** Number of the Audience. */
  readonly audience: number
  /** Normalized. */
  readonly address: string
}

/** In place of a token, in newsletters that are tests: nobody is unsubscribed by one. */
export const TEST_TOKEN = 'test'

const TOKEN = /^([0-9a-z]{1,10})\.([A-Za-z0-9._-]{1,1000})$/

function placeOf(account: number): SecretPlace {
  return { purpose: 'recipient', tenant: account, row: 'link' }
}

/**
 * The page to unsubscribe, which takes RFC 8058's POST too.
 * @param baseUrl of the server, without a slash at the end
 */
export function unsubscribeUrl(keyring: Keyring, baseUrl: string, recipient: Recipient): string {
  return `${baseUrl}/unsubscribe/${makeRecipientToken(keyring, recipient)}`
}

export function makeRecipientToken(keyring: Keyring, { account, newsletter, audience, address }: Recipient): string {
  const sealed = keyring.seal(JSON.stringify([newsletter, audience, address]), placeOf(account))
  return `${account.toString(36)}.${sealed}`
}

/** null: this installation did not make it. It reads no store, so that forged ones cost little. */
export function readRecipientToken(keyring: Keyring, token: string): Recipient | null {
  const [, accountText, sealed] = TOKEN.exec(token) ?? []
  if (accountText === undefined) return null
  const account = Number.parseInt(accountText, 36)
  if (account.toString(36) !== accountText) return null
  try {
    const [newsletter, audience, address] = JSON.parse(keyring.open(sealed!, placeOf(account))) as [
      number,
      number,
      string,
    ]
    return { account, newsletter, audience, address }
  } catch {
    return null
  }
}

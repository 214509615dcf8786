/** Links by which an invitee manages a booking. Their account is the mailbox's. */
import type { Keyring } from '../../server/base/keyring.ts'
import { type SignedLink, SignedLinks } from '../type/signed-links.ts'

export { newNonce } from '../type/signed-links.ts'

const LINKS = new SignedLinks('booking links')

export function makeToken(keyring: Keyring, link: SignedLink): string {
  return LINKS.makeToken(keyring, link)
}

/** null: this installation did not make it. */
export function readToken(keyring: Keyring, token: string): SignedLink | null {
  return LINKS.readToken(keyring, token)
}

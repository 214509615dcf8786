/** Sign-ups on the public page of an audience. Nobody becomes a subscriber before the mail has been confirmed (promise N4). */
import {
  SIGN_UP_KEEP_MS,
  SIGN_UP_MAIL_EVERY_MS,
  SIGN_UP_MAILS_PER_ADDRESS,
} from '../../../server/base/audience-limits.ts'
import { AccountGone } from '../../../storage/account-gone.ts'
import type { AccountUnit, Reader, Unit } from '../../../storage/ports.ts'
import { findAudience } from '../../../storage/repos/audiences.ts'
import { countMail, findSignUp, saveSignUp } from '../../../storage/repos/sign-ups.ts'
import { subscribersOf } from '../../../storage/repos/subscribers.ts'
import { findSuppression } from '../../../storage/repos/suppressions.ts'
import type { AudienceTable } from '../../../storage/schema/tables.ts'
import { queueFromServer } from '../../delivery/outgoing.ts'
import { prepareBlob } from '../../mail/blob/blobs.ts'
import { type Owner, ownerOf } from '../../notices/notify-owner.ts'
import type { Services } from '../../type/context.ts'
import { newNonce, SignedLinks } from '../../type/signed-links.ts'
import { roomIn } from '../subscriber/add.ts'
import { subscriberAddress } from '../subscriber/read-rows.ts'
import { isRoleAddress } from '../subscriber/role-addresses.ts'
import { writeConfirmation } from './letter.ts'
import { type FoundPage, findPage } from './page.ts'

/** Links to confirm a sign-up; the account is the organization. */
export const SIGN_UP_LINKS = new SignedLinks('sign-up links')

export interface SignUpRequest {
  readonly email: string
  readonly displayName: string | null
  readonly language: string
  /** URL of the server, without a slash at the end. */
  readonly baseUrl: string
}

/**
 * `accepted`: the address may get a mail; whether it does is not told. `invalid`: it can be no subscriber. `gone`: there is no such page.
 * `unavailable`: the organization has no mailbox to send from, or its plan or the audience takes nobody more: a page that can add nobody
 * would be of use for spam alone.
 */
export type SignUpOutcome = 'accepted' | 'invalid' | 'gone' | 'unavailable'

export async function requestSignUp(
  services: Services,
  audienceId: string,
  request: SignUpRequest,
): Promise<SignUpOutcome> {
  const address = subscriberAddress(request.email)
  const look = await services.store.read(async (reader) => {
    const page = await findPage(services, reader, audienceId)
    if (!page) return null
    const owner = await ownerOf(reader, page.audience.account)
    const hasRoom = (await roomIn(services, reader, page.audience)) > 0
    const isWanted = address !== null && (await wantsMail(reader, page.audience, address, services.clock.now()))
    return { page, owner, hasRoom, isWanted }
  })
  if (!look) return 'gone'
  if (address === null || isRoleAddress(address)) return 'invalid'
  if (!look.owner || !look.hasRoom) return 'unavailable'
  // Most repeated sign-ups end here, before anything is written.
  if (!look.isWanted) return 'accepted'
  const { page, owner } = look
  return sendMail(services, page, owner, address, request)
}

/** Whether the address has had no mail for this audience lately, and could become a subscriber by one. */
async function wantsMail(reader: Reader, audience: AudienceTable, address: string, now: number): Promise<boolean> {
  const { account, id } = audience
  const waiting = await findSignUp(reader, { account, audience: id, address })
  if (waiting && waiting.mailed_at > now - SIGN_UP_MAIL_EVERY_MS) return false
  const [member] = await subscribersOf(reader, { account, audience: id }, [address])
  // Decision D25: nothing is sent to a suppressed address.
  return member?.status !== 'subscribed' && (await findSuppression(reader, account, address)) === null
}

async function sendMail(
  services: Services,
  { audience, shown }: FoundPage,
  { mailbox }: Owner,
  address: string,
  { displayName, language, baseUrl }: SignUpRequest,
): Promise<SignUpOutcome> {
  const { store, keyring, clock } = services
  const { account, id } = audience
  const nonce = newNonce()
  const link = `${baseUrl}/subscribe/confirm/${SIGN_UP_LINKS.makeToken(keyring, { account, nonce })}`
  const letter = { from: mailbox.address, to: address, page: shown, link, language, now: clock.now() }
  const blob = await prepareBlob(store, writeConfirmation(letter))
  const record = async (work: Unit, unit: AccountUnit): Promise<SignUpOutcome> => {
    const present = await findAudience(unit, account, id)
    const box = work.account(mailbox.account)
    if (present?.signup_page !== 1 || unit.isDeleted || box.isDeleted) return 'gone'
    if (!(await wantsMail(unit, present, address, unit.now))) return 'accepted'
    const limit = { max: SIGN_UP_MAILS_PER_ADDRESS, withinMs: SIGN_UP_MAIL_EVERY_MS }
    if (!(await countMail(unit, address, limit))) return 'accepted'
    await saveSignUp(unit, {
      audience: id,
      address,
      nonce,
      display_name: displayName,
      mailed_at: unit.now,
      expires_at: unit.now + SIGN_UP_KEEP_MS,
    })
    await queueFromServer(work, box, { blob, to: address }, box.nextObject())
    return 'accepted'
  }
  try {
    return await store.write([account, mailbox.account], (work) => record(work, work.account(account)))
  } catch (error) {
    if (error instanceof AccountGone) return 'gone'
    throw error
  }
}

/** What recipients change by the links of newsletters (decision D18). A link is enough: it is in their mail only. */
import { AccountGone } from '../../../storage/account-gone.ts'
import type { AccountUnit } from '../../../storage/ports.ts'
import type { Services } from '../../type/context.ts'
import { Newsletter } from '../newsletter/newsletter.type.ts'
import { endOptOut, leaveAudience, moveSubscribers, optOut } from '../states/move-subscribers.ts'
import { type Choice, choiceOf, type RecipientChoice } from './choice.ts'
import { type Recipient, readRecipientToken } from './recipient-links.ts'

/** @returns what is chosen afterwards; null: this installation did not make the link */
export async function chooseAsRecipient(
  services: Services,
  token: string,
  choice: Choice,
): Promise<RecipientChoice | null> {
  const recipient = readRecipientToken(services.keyring, token)
  if (!recipient) return null
  const before = await services.store.read((reader) => choiceOf(reader, recipient))
  // Repeated requests of mail providers write nothing.
  if (before.organization === null || (choice === 'none' && before.choice === 'none')) return before
  try {
    return await services.store.write([recipient.account], async (work) => {
      const unit = work.account(recipient.account)
      if (unit.isDeleted) return GONE
      await act(services, unit, recipient, choice)
      return choiceOf(unit, recipient)
    })
  } catch (error) {
    if (error instanceof AccountGone) return GONE
    throw error
  }
}

const GONE: RecipientChoice = { organization: null, list: null, choice: null }

async function act({ ids }: Services, unit: AccountUnit, recipient: Recipient, choice: Choice): Promise<void> {
  const { account, audience, address } = recipient
  const newsletterId = ids.encode(Newsletter, account, recipient.newsletter)
  if (choice === 'none') {
    await optOut(unit, ids, address, { source: 'recipient', newsletterId })
    return
  }
  const before = await choiceOf(unit, recipient)
  // Without the audience there is nothing to come back to; an opt-out ends by coming back only.
  if (before.list === null && choice !== 'service') return
  if (before.choice === 'none' && choice !== 'list') return
  if (choice === 'notThis') return leaveAudience(unit, ids, address, { audience, newsletterId })
  if (choice === 'list' || before.choice === 'notThis') await endOptOut(unit, ids, address, audience)
  if (choice === 'service') await moveSubscribers(unit, ids, address, { trigger: 'serviceMailOnly' })
}

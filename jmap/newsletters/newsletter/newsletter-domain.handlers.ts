import { MailAccount } from '../../mail/mail-account/mail-account.type.ts'
import { Domain } from '../../policy/domain/domain.type.ts'
import { isVerifiedStatus } from '../../policy/domain/state.ts'
import type { ObjectOf } from '../../type/derived.ts'
import type { Handlers, ReadContext } from '../../type/handlers.ts'
import { pick } from '../../type/methods/get.ts'
import { listStored } from '../../type/object-store.ts'
import { mayKnowAudiences } from '../access.ts'
import { defaultFromAddress } from './newsletter-domain.ts'
import { NewsletterDomain } from './newsletter-domain.type.ts'

export const newsletterDomainHandlers: Handlers<typeof NewsletterDomain> = {
  mayKnow: (method) => mayKnowAudiences(method),

  all: async (read, limit) => [...(await everyDomain(read)).keys()].slice(0, limit),

  async load(read, { numbers, properties }) {
    const domains = await everyDomain(read)
    return new Map(
      numbers.flatMap((number) => {
        const domain = domains.get(number)
        return domain ? [[number, pick(domain, properties)] as const] : []
      }),
    )
  },
}

/** By number, oldest first. */
async function everyDomain({ method, reader }: ReadContext): Promise<Map<number, ObjectOf<typeof NewsletterDomain>>> {
  if (!mayKnowAudiences(method)) return new Map()
  const account = method.account.number
  const domains = await listStored(reader, account, Domain)
  const mailboxes = await listStored(reader, account, MailAccount)
  return new Map(
    domains.map(({ id, data }) => {
      const own = mailboxes.filter((mailbox) => mailbox.data.address.endsWith(`@${data.name}`))
      const answering = own.find((mailbox) => mailbox.data.suspendedAt === null)
      const shown = {
        id: method.id(NewsletterDomain, id),
        domainId: method.id(Domain, id),
        domainName: data.name,
        verified: isVerifiedStatus(data.status),
        fromAddresses: [...new Set([defaultFromAddress(data), ...own.map((mailbox) => mailbox.data.address)])],
        defaultReplyToMailboxId: answering ? method.services.ids.accountId('mailbox', answering.id) : null,
        createdAt: data.createdAt,
      }
      return [id, shown] as const
    }),
  )
}

import { SERVICE } from '../../type/capabilities.ts'
import { defineType } from '../../type/define-type.ts'
import { p } from '../../type/property.ts'

/** A domain that newsletters can be sent from (decision D19): each Domain of the organization, under an id of its own. */
export const NewsletterDomain = defineType({
  name: 'NewsletterDomain',
  capability: SERVICE,
  spec: 'vendor',
  idPrefix: 'nwd',
  accounts: 'organization',
  methods: ['get'],
  properties: {
    id: p.id().server().fixed(),
    domainId: p.id().server().fixed(),
    domainName: p.string().server().fixed(),
    verified: p.bool().server(),
    /** Addresses that From can have; any other of the domain is taken too. */
    fromAddresses: p.list(p.string()).server(),
    /** The mailbox that answers go to if a newsletter names none; null: the domain has none. */
    defaultReplyToMailboxId: p.id().nullable().server(),
    createdAt: p.utcDate().server().fixed(),
  },
  scopes: { read: 'newsletters:read', write: 'newsletters:write' },
})

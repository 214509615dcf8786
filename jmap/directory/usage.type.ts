import { SERVICE } from '../type/capabilities.ts'
import { declareMethod } from '../type/method-declaration.ts'
import { p } from '../type/property.ts'

/** `limit` null: there is none. */
const part = p.object({ used: p.uint(), limit: p.uint().nullable() })

/** What an organization has and has sent, with the limits of its plan (decision D27). */
export const UsageGet = declareMethod({
  name: 'Usage/get',
  capability: SERVICE,
  accounts: 'organization',
  scope: 'usage:read',
  writes: false,
  args: {},
  answer: {
    plan: p.string(),
    /** null: it is no trial. */
    trialEndsAt: p.utcDate().nullable(),
    periodStart: p.utcDate(),
    periodEnd: p.utcDate(),
    sends: part,
    mailboxes: part,
    aliases: part,
    audienceIngest: part,
    newsletterMediaBytes: part,
    /** Of what newsletters say. A limit of the server, whatever the plan is. */
    newsletterContentBytes: part,
    teamMembers: part,
    storageBytes: p.object({ used: p.uint(), limitPerMailbox: p.uint().nullable() }),
  },
})

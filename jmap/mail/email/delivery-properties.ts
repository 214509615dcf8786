/** Vendor properties of Email about its delivery (decision D13), in the form that clients see. */
import { p } from '../../type/property.ts'

/** Results, with the names of RFC 8601 2.7. */
const domainResult = { result: p.string(), domain: p.string() }

/** null: the mail did not come from outside. */
export const Authentication = p.object({
  spf: p.object({ ...domainResult, identity: p.oneOf(['mailfrom', 'helo']) }),
  dkim: p.list(
    p.object({
      ...domainResult,
      selector: p.string(),
      algorithm: p.string(),
      aligned: p.bool(),
      reason: p.string().maybe(),
    }),
  ),
  dmarc: p.object({
    result: p.string(),
    domain: p.string().nullable(),
    policy: p.string().nullable(),
    disposition: p.string(),
  }),
  arc: p.object({ result: p.string(), domain: p.string().nullable() }),
  iprev: p.object({ result: p.string(), name: p.string().nullable() }),
})

/** null: the mail was not scored. */
export const SpamVerdict = p.object({
  score: p.number(),
  threshold: p.number().maybe(),
  symbols: p.list(
    p.object({ name: p.string(), score: p.number(), description: p.string(), detail: p.string().maybe() }),
  ),
  engine: p.oneOf(['posthouse', 'rspamd']),
})

export const TraceNote = p.object({ by: p.string(), name: p.string().maybe(), text: p.string() })

export const DeliveryRecipient = p.object({
  address: p.string(),
  status: p.string(),
  smtpReply: p.string().nullable(),
})

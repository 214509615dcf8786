/** What the checks at delivery found out about the sender of a message. */
import * as s from '../schema/schema.ts'

const result = s.string({
  examples: ['pass'],
  description: 'With the names of RFC 8601: `pass`, `fail`, `none`, `temperror` ...',
})
const domain = s.string({ examples: ['example.org'] })

export const Authentication = s.named(
  'Authentication',
  s.object({
    spf: s.object({ result, domain }),
    dkim: s.array(s.object({ result, domain, selector: s.string(), aligned: s.boolean() })),
    dmarc: s.object({ result, domain: s.nullable(domain), policy: s.nullable(s.string()), disposition: s.string() }),
    arc: s.object({ result, domain: s.nullable(domain) }),
    iprev: s.object({ result, name: s.nullable(s.string()) }),
  }),
)

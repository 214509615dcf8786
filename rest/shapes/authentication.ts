/** What the checks at delivery found out about the sender of a message. */
import { array, boolean, named, nullable, object, string } from '../schema/schema.ts'

const result = string({
  examples: ['pass'],
  description: 'As RFC 8601 names it: `pass`, `fail`, `none`, `temperror` ...',
})
const domain = string({ examples: ['example.org'] })

export const Authentication = named(
  'Authentication',
  object({
    spf: object({ result, domain }),
    dkim: array(object({ result, domain, selector: string(), aligned: boolean() })),
    dmarc: object({ result, domain: nullable(domain), policy: nullable(string()), disposition: string() }),
    arc: object({ result, domain: nullable(domain) }),
    iprev: object({ result, name: nullable(string()) }),
  }),
)

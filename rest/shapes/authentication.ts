/** What was found out about the sender of a message from outside. */
import type { AuthenticationObject } from '../calls/jmap-types.ts'
import { array, boolean, type Infer, named, nullable, object, string } from '../schema/schema.ts'

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

export function toAuthentication(results: AuthenticationObject): Infer<typeof Authentication> {
  const { spf, dkim, dmarc, arc, iprev } = results
  return {
    spf: { result: spf.result, domain: spf.domain },
    dkim: dkim.map(({ result, domain, selector, aligned }) => ({ result, domain, selector, aligned })),
    dmarc: { result: dmarc.result, domain: dmarc.domain, policy: dmarc.policy, disposition: dmarc.disposition },
    arc: { result: arc.result, domain: arc.domain },
    iprev: { result: iprev.result, name: iprev.name },
  }
}

import { get } from '../calls/jmap-calls.ts'
import { inMailbox, mailboxFields, ofMailbox } from '../calls/mailbox-access.ts'
import { endpoint } from '../endpoint.ts'
import type { IdentityObject } from '../schema/jmap-types.ts'
import * as s from '../schema/schema.ts'
import { toSnake } from '../schema/to-snake.ts'

export const Identity = s.resource('MailboxIdentity', 'mailbox_identity', {
  id: s.id('idn_aaaaaaaaayaaaaaaaaaaggdx5jrq'),
  name: s.string({ examples: ['Support'] }),
  email: s.string({ examples: ['support@example.com'] }),
})

export const listIdentities = endpoint({
  method: 'GET',
  path: '/v1/mailboxes/{mailbox_id}/identities',
  operationId: 'listIdentities',
  tag: { name: 'Identities', description: 'The addresses that a mailbox may send from.' },
  summary: 'List the addresses that a mailbox may send from',
  description: 'The address of the mailbox first, then its aliases, then `*@domain` if it is the catch-all.',
  scope: 'mailboxes:read',
  response: s.resource('MailboxIdentities', 'mailbox_identities', {
    ...mailboxFields,
    data: s.array(Identity),
  }),
  errors: ['not_found', 'mailbox_access_denied'],
  async run(input, jmap) {
    const { mailbox, found } = await inMailbox(input, jmap, input.params.mailbox_id, (accountId) => ({
      found: get('Identity', { accountId, ids: null }),
    }))
    // Decision D17: the identity for all addresses of the domain comes last, and one without a name has its address as name.
    const isWildcard = ({ email }: IdentityObject) => email.startsWith('*@')
    const list = [...found.list].sort((a, b) => Number(isWildcard(a)) - Number(isWildcard(b)))
    const data = list.map((identity) => toSnake(Identity, identity, { name: identity.name || identity.email }))
    return { object: 'mailbox_identities' as const, ...ofMailbox(mailbox), data }
  },
})

export const identityEndpoints = [listIdentities]

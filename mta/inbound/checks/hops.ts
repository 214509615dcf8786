import { isNamed } from '../../../jmap/message/headers.ts'
import { SMTP_MAX_HOPS } from '../../../server/base/smtp-limits.ts'
import { reply } from '../../smtp/reply.ts'
import { type InboundCheck, PASS } from './check.ts'

/** RFC 5321 6.3: a message with too many Received fields is in a loop. */
export const hops: InboundCheck = {
  name: 'hops',
  run({ header }) {
    const count = header.fields.filter((field) => isNamed(field, 'received')).length
    return count > SMTP_MAX_HOPS ? { refusal: reply(554, '5.4.6', 'Too many hops: the message is in a loop') } : PASS
  },
}

/** RFC 8621 4.1.2.3 */
import { p } from '../../type/property.ts'

export const EmailAddress = p.object({ name: p.string().nullable().defaults(null), email: p.string() })
export type EmailAddress = (typeof EmailAddress)['is']['type']

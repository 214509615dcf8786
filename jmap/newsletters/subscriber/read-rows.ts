/** Rows of Subscriber/add as clients send them. Pure. */
import type { JsonObject } from '../../../server/base/json.ts'
import { normaliseAddress } from '../../message/mail-address.ts'
import { sendableAddress } from '../../message/sendable-address.ts'
import { faultOf } from '../../type/validate.ts'
import { isRoleAddress } from './role-addresses.ts'
import { type MergeFields, type RowProperty, Subscriber } from './subscriber.type.ts'

export interface AddRow {
  /** As sent, trimmed and in lower case. */
  readonly email: string
  /** Normalized; null: the row cannot be added. */
  readonly address: string | null
  /** undefined: what is stored stays. */
  readonly displayName: string | null | undefined
  readonly mergeFields: MergeFields
  /** Why `address` is null: the property that is wrong. */
  readonly wrong: RowProperty | null
}

const MEMBERS = ['displayName', 'mergeFields'] as const

export function readRow(row: JsonObject): AddRow {
  const { email: sent, displayName, mergeFields = {} } = row
  const email = typeof sent === 'string' ? sent.trim().toLowerCase() : ''
  const address = subscriberAddress(email)
  const wrong = address === null || isRoleAddress(address) ? 'email' : wrongMember(row)
  if (wrong !== null) return { email, address: null, displayName: undefined, mergeFields: {}, wrong }
  return {
    email,
    address,
    // Both were checked against their declarations.
    displayName: displayName as string | null | undefined,
    mergeFields: mergeFields as MergeFields,
    wrong,
  }
}

function wrongMember(row: JsonObject): RowProperty | null {
  const isWrong = (property: (typeof MEMBERS)[number]) =>
    row[property] !== undefined && faultOf(Subscriber.properties[property], row[property]) !== null
  return MEMBERS.find(isWrong) ?? null
}

/** The form in which addresses of subscribers compare; null: mail cannot be sent there. */
export function subscriberAddress(text: string): string | null {
  const sendable = sendableAddress(text.trim())
  return sendable === null ? null : normaliseAddress(sendable)
}

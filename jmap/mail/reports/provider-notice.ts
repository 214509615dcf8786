/** Notices of Amazon SES, which sends its JSON about bounces as text. Pure, and total. */
import { REPORT_DIAGNOSIS_CHARS } from '../../../server/base/report-limits.ts'

export interface ProviderNotice {
  readonly kind: 'bounced' | 'delivered' | 'complained'
  readonly messageId: string | null
  readonly recipients: readonly {
    readonly address: string
    readonly action: string
    readonly status: string | null
    readonly diagnosis: string
  }[]
}

/** null: the text is not such a notice. Lines may be folded anywhere. */
export function readProviderNotice(notice: readonly string[]): ProviderNotice | null {
  const text = notice.join('')
  const from = text.indexOf('{')
  if (from < 0 || !/notificationType\\?"\s*:/.test(text)) return null
  const parsed = parse(text.slice(from))
  const object = asObject(parsed?.['Message'] === undefined ? parsed : parse(String(parsed['Message'])))
  const bounce = asObject(object?.['bounce'])
  const delivery = asObject(object?.['delivery'])
  const complaint = asObject(object?.['complaint'])
  const messageId = asObject(object?.['mail'])?.['messageId']
  const id = typeof messageId === 'string' ? messageId : null
  if (bounce) return { kind: 'bounced', messageId: id, recipients: list(bounce['bouncedRecipients']).flatMap(bounced) }
  if (complaint) {
    const named = list(complaint['complainedRecipients']).flatMap(bounced)
    return { kind: 'complained', messageId: id, recipients: named }
  }
  if (!delivery) return null
  const diagnosis = line(delivery['smtpResponse'])
  const recipients = list(delivery['recipients']).filter((address) => typeof address === 'string')
  const told = recipients.map((address) => ({ address, action: 'delivered', status: null, diagnosis }))
  return { kind: 'delivered', messageId: id, recipients: told }
}

function bounced(value: unknown): ProviderNotice['recipients'] {
  const one = asObject(value)
  const address = one?.['emailAddress']
  if (!one || typeof address !== 'string') return []
  const status = typeof one['status'] === 'string' ? one['status'] : null
  return [{ address, action: line(one['action']) || 'failed', status, diagnosis: line(one['diagnosticCode']) }]
}

function parse(text: string): Record<string, unknown> | null {
  // Text after the object does not belong to it.
  for (const end of [text.length, text.lastIndexOf('}') + 1, text.indexOf('}--') + 1]) {
    try {
      return asObject(JSON.parse(text.slice(0, end)))
    } catch {}
  }
  return null
}

function asObject(value: unknown): Record<string, unknown> | null {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : null
}

function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

function line(value: unknown): string {
  return typeof value === 'string' ? value.replace(/\s+/g, ' ').slice(0, REPORT_DIAGNOSIS_CHARS) : ''
}

/** What is wrong with content: an error that refuses it, or a warning about what was changed. */
import type { Fault, FaultCode } from '../../protocol/set-error.ts'

export type { Fault, FaultCode }

export function fault(path: string, code: FaultCode, message: string): Fault {
  return { path, code, message }
}

export type WarningCode =
  | 'html_cleaned'
  | 'missing_alt'
  | 'merge_field_without_fallback'
  | 'gmail_clipping'
  | 'too_many_urls'
  | 'insecure_image'

export interface ContentWarning {
  readonly code: WarningCode
  readonly message: string
  /** Of the block that it is about; null: the newsletter as a whole. */
  readonly blockIndex: number | null
}

/** Items of the preflight: each says what to do, if there is something. */
import type { PREFLIGHT_KEYS } from './newsletter.type.ts'

export type PreflightKey = (typeof PREFLIGHT_KEYS)[number]

export type PreflightItem = {
  readonly key: PreflightKey
  readonly status: 'pass' | 'fail' | 'warning'
  readonly message: string
  readonly field: string | null
}

export const pass = (key: PreflightKey, message: string): PreflightItem => ({
  key,
  status: 'pass',
  message,
  field: null,
})
export const fail = (key: PreflightKey, message: string, field: string | null = null): PreflightItem => ({
  key,
  status: 'fail',
  message,
  field,
})
export const warning = (key: PreflightKey, message: string, field: string | null = null): PreflightItem => ({
  key,
  status: 'warning',
  message,
  field,
})

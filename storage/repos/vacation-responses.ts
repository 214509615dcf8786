/** VacationResponse (RFC 8621 8): each account has one, which delivery reads. */
import type { AccountUnit, Reader } from '../ports.ts'
import { findObject, SINGLETON, saveSingleton } from './objects.ts'

/** Dates are UTCDates; null: from now on, and without end. */
export interface VacationResponse {
  readonly isEnabled: boolean
  readonly fromDate: string | null
  readonly toDate: string | null
  readonly subject: string | null
  readonly textBody: string | null
  readonly htmlBody: string | null
}

const NONE: VacationResponse = {
  isEnabled: false,
  fromDate: null,
  toDate: null,
  subject: null,
  textBody: null,
  htmlBody: null,
}

const TYPE = 'VacationResponse'

/** An account whose response was never written has the default one. */
export async function findVacationResponse(reader: Reader, account: number): Promise<VacationResponse> {
  const stored = await findObject(reader, account, TYPE, SINGLETON)
  return stored ? { ...NONE, ...stored.data } : NONE
}

export function keepVacationResponse(unit: AccountUnit, response: VacationResponse): Promise<void> {
  return saveSingleton(unit, TYPE, { ...response })
}

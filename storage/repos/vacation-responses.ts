/** What an account answers while its owner is away (RFC 8621 8): one record each, which delivery reads. */
import type { AccountUnit, Reader } from '../ports.ts'
import { findObject, insertObject, updateObject } from './objects.ts'

/** As RFC 8621 8 has it. Dates are UTCDates; null: from now on, and without end. */
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
/** Its number in the account: there is one only. */
const NUMBER = 0

/** Every account has one, whether it was ever written or not. */
export async function findVacationResponse(reader: Reader, account: number): Promise<VacationResponse> {
  const stored = await findObject(reader, account, TYPE, NUMBER)
  return stored ? { ...NONE, ...stored.data } : NONE
}

export async function keepVacationResponse(unit: AccountUnit, response: VacationResponse): Promise<void> {
  const object = { id: NUMBER, data: { ...response } }
  if (await findObject(unit, unit.account, TYPE, NUMBER)) await updateObject(unit, unit.account, TYPE, object)
  else await insertObject(unit, unit.account, TYPE, object, unit.now)
}

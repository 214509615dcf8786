/** What changes of a domain mean for its registration. */
import type { AccountUnit } from '../../../storage/ports.ts'
import { deleteWork, findWork, updateWork } from '../../../storage/repos/domain-works.ts'
import { reviewLetters } from './letters.ts'

/** Inside the unit of work that destroys the domain: it stays registered until it expires (decision D7). */
export async function endRegistration(unit: AccountUnit, domain: number): Promise<void> {
  await deleteWork(unit, domain, 'registration')
  await deleteWork(unit, domain, 'letters')
}

/**
 * Inside the unit of work that changes `autoRenew`: the step `hold` decides anew, also about a renewal that the registrar did not carry out. A
 * worker that looks for that one has lost its lease.
 */
export async function resumeRenewal(unit: AccountUnit, domain: number): Promise<void> {
  const row = await findWork(unit, unit.account, domain, 'registration')
  if (row?.step === 'hold' || row?.step === 'renewCharge')
    await updateWork(unit, domain, row.kind, { due_at: unit.now })
  if (row?.step === 'unmet')
    await updateWork(unit, domain, row.kind, { step: 'hold', due_at: unit.now, lease: null, lease_until: 0 })
  await reviewLetters(unit, domain)
}

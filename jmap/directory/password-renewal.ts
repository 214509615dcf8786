/** Rehashes passwords whose verifiers have weaker parameters than the present ones, when their owners log in (promise A1). */
import { errorMessage } from '../../server/base/errors.ts'
import { findCredential, replaceVerifier } from '../../storage/repos/directory.ts'
import type { Services } from '../type/context.ts'
import { isWeak, mailboxCredential, rehashPassword } from './secrets.ts'

/** Called with a password that is correct. Never rejects: the login succeeds even if nothing can be written. */
export async function renewVerifier(
  { keepVerifier, logger }: Pick<Services, 'keepVerifier' | 'logger'>,
  account: number,
  verifier: string,
  password: string,
): Promise<string> {
  if (!isWeak(verifier)) return verifier
  try {
    const stronger = await rehashPassword(verifier, password)
    await keepVerifier(account, verifier, stronger)
    return stronger
  } catch (error) {
    logger.warn({ error: errorMessage(error) }, 'a password could not be rehashed')
    return verifier
  }
}

/** Stores a verifier `to` of the same password, unless the password has been changed meanwhile. */
export async function keepVerifier(
  { store }: Pick<Services, 'store'>,
  account: number,
  from: string,
  to: string,
): Promise<void> {
  const hash = mailboxCredential(account)
  await store.write([account], async (work) => {
    if ((await findCredential(work, hash))?.verifier === from) await replaceVerifier(work.sql, hash, to)
  })
}

/** Domain/search: names that can be registered. */
import { invalidProperties, type SetError, setError } from '../../protocol/errors.ts'
import type { MethodContext } from '../../type/context.ts'
import { implement } from '../../type/method.ts'
import type { DomainOffer } from '../../type/registrar-port.ts'
import { limitedKey, notConfigured, unreachable } from './refusals.ts'
import { DomainSearch } from './registration.methods.ts'
import { suggestNames } from './suggest.ts'

export const searchMethod = implement(DomainSearch, async (method, { keyword }) => {
  const answer = await search(method, keyword)
  const { account } = method
  return 'offers' in answer
    ? { accountId: account.id, offers: answer.offers.map((offer) => ({ ...offer })), notSearched: null }
    : { accountId: account.id, offers: [], notSearched: answer }
})

async function search(
  method: MethodContext,
  keyword: string,
): Promise<{ readonly offers: readonly DomainOffer[] } | SetError> {
  const { registrar } = method.services
  const limit = limitedKey(method)
  if (limit !== null) return setError('forbidden', limit)
  const names = suggestNames(keyword, registrar?.endings ?? ['com'])
  if (names === null) return invalidProperties(['keyword'], 'keyword must be a word or a domain name.')
  if (registrar === null) return notConfigured()
  const answer = await registrar.offers(names)
  if (answer.kind === 'unreachable') return unreachable(answer.reason)
  if (answer.kind === 'refused') return invalidProperties(['keyword'], `The registrar refused: ${answer.reason}.`)
  return { offers: answer.value }
}

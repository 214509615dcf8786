/** A unit of work names an account that has no row: it was erased, or never existed. */
export class AccountGone extends Error {
  override readonly name = 'AccountGone'

  constructor(account: number) {
    super(`account ${account} does not exist`)
  }
}
